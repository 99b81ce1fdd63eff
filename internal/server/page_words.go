package server

// pageWords are the keys of the page's sentences. A test holds them against the page.
func pageWords() []string {
	return []string{
		"page.skip", "page.nav.label", "page.nav.sessions", "page.nav.worktree", "page.nav.statistics", "page.theme",
		"page.leave", "page.now", "page.failed", "page.again", "page.login.title", "page.login.help", "page.login.token",
		"page.login.enter", "page.login.wrong", "page.status.created", "page.status.running", "page.status.paused", "page.status.hitl-waiting",
		"page.status.completed", "page.status.failed", "page.status.cancelled", "page.status.expired",
		"page.sessions.title", "page.sessions.filter", "page.sessions.all", "page.sessions.empty", "page.sessions.more",
		"page.sessions.new", "page.sessions.input", "page.sessions.start", "page.session.tokens", "page.session.id",
		"page.session.created", "page.session.started", "page.session.ended", "page.session.expires", "page.session.ran",
		"page.session.used", "page.session.todos", "page.session.progress", "page.session.checkpoints",
		"page.session.response", "page.session.pause", "page.session.resume", "page.session.cancel", "page.session.delete",
		"page.session.sure", "page.session.did-pause", "page.session.did-resume", "page.session.did-cancel",
		"page.session.did-delete", "page.todo.none", "page.todo.done", "page.todo.open", "page.todo.pending",
		"page.todo.in-progress", "page.todo.completed", "page.todo.failed", "page.todo.skipped", "page.todo.retries",
		"page.question.title", "page.question.until", "page.question.choose", "page.question.more", "page.question.text",
		"page.question.answer", "page.question.answered", "page.events.title", "page.event.created", "page.event.started",
		"page.event.paused", "page.event.resumed", "page.event.completed", "page.event.failed", "page.event.cancelled",
		"page.event.expired", "page.event.asked", "page.cause.start", "page.cause.pause", "page.cause.ask", "page.cause.answer",
		"page.cause.time-out", "page.cause.resume", "page.cause.complete", "page.cause.fail", "page.cause.cancel",
		"page.cause.expire", "page.lineage.drawing", "page.live.on", "page.live.off", "page.worktree.title", "page.worktree.empty",
		"page.lineage.label", "page.lineage.removed", "page.lineage.auto", "page.lineage.here", "page.lineage.blocked",
		"page.snapshot.id", "page.snapshot.saved", "page.snapshot.mode", "page.snapshot.branch", "page.snapshot.commit",
		"page.snapshot.parent", "page.snapshot.next", "page.snapshot.tasks", "page.snapshot.blockers",
		"page.snapshot.findings", "page.snapshot.files", "page.blocker.none", "page.blocker.try", "page.ledger.title",
		"page.ledger.none", "page.ledger.agent", "page.ledger.result", "page.ledger.proof", "page.diff.title",
		"page.diff.from", "page.diff.to", "page.diff.show", "page.diff.files", "page.diff.same-files", "page.diff.changed",
		"page.diff.deleted", "page.diff.fields", "page.diff.same-fields", "page.diff.field", "page.diff.before",
		"page.diff.after", "page.diff.nothing", "page.statistics.title", "page.statistics.range",
		"page.statistics.sessions", "page.statistics.time", "page.statistics.tokens", "page.statistics.cost",
		"page.statistics.table", "page.statistics.date", "page.statistics.completed", "page.statistics.failed",
		"page.legend.completed", "page.legend.failed", "page.legend.other", "page.plot.says",
	}
}
