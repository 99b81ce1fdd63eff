-- name: take-id
INSERT INTO session_ids (id, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: slots
SELECT slot FROM sessions WHERE owner = $1 AND slot IS NOT NULL ORDER BY slot

-- name: slots-from
SELECT slot FROM sessions WHERE owner = $1 AND slot >= $2 AND slot IS NOT NULL ORDER BY slot LIMIT $3

-- name: add-session
INSERT INTO sessions (/*session*/)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)

-- name: session
SELECT /*session*/ FROM sessions WHERE id = $1 AND owner = $2

-- name: lock-session
SELECT /*session*/ FROM sessions WHERE id = $1 AND owner = $2 /*lock*/

-- name: set-session
UPDATE sessions SET status = $1, version = $2, slot = $3, run = $4, plan = $5, plan_version = $6, head = $7, response = $8, updated_ms = $9,
  started_ms = $10, completed_ms = $11, expires_ms = $12, running_ms = $13, tokens = $14, cost_micro = $15, execution_ms = $16, metadata = $17,
  events = $18, checkpoints = $19
WHERE id = $20 AND version = $21

-- name: list
SELECT /*session*/ FROM sessions
WHERE owner = $1 AND (created_ms < $2 OR created_ms = $3 AND id < $4) AND $5 LIKE '%,' || status || ',%'
ORDER BY created_ms DESC, id DESC LIMIT $6 OFFSET $7

-- name: due
SELECT /*session*/ FROM sessions WHERE expires_ms <= $1 ORDER BY expires_ms, id LIMIT $2

-- name: stranded
SELECT /*session*/ FROM sessions WHERE status IN ('created', 'running') AND run = '' AND updated_ms <= $1 ORDER BY updated_ms, id LIMIT $2

-- name: unbegun
SELECT /*session*/ FROM sessions WHERE status IN ('created', 'running', 'paused', 'hitl_waiting', 'failed') AND head = '' AND id > $1 ORDER BY id LIMIT $2

-- name: counts
SELECT status, COUNT(*) FROM sessions WHERE (CAST($1 AS BIGINT) = 1 OR owner = $2) GROUP BY status

-- name: add-plan
INSERT INTO session_plans (session, version, plan, hash, body, reason, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: plan
SELECT plan, version, hash, body, reason, created_ms FROM session_plans WHERE session = $1 AND version = $2

-- name: add-todo
INSERT INTO session_todos (session, plan_version, place, id, title, status, retry_count, depends_on, data, result, updated_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: set-todo
UPDATE session_todos SET title = $1, status = $2, retry_count = $3, depends_on = $4, data = $5, result = $6, updated_ms = $7
WHERE session = $8 AND plan_version = $9 AND id = $10

-- name: todos
SELECT id, title, status, retry_count, depends_on, data, result, updated_ms FROM session_todos
WHERE session = $1 AND plan_version = $2 ORDER BY place

-- name: add-request
INSERT INTO session_requests (session, id, place, run, type, data, options, status, created_ms, timeout_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (session, id) DO NOTHING

-- name: requests
SELECT session, id, run, type, data, options, status, created_ms, timeout_ms, closed_ms, decision FROM session_requests
WHERE session = $1 ORDER BY place

-- name: close-request
UPDATE session_requests SET status = $1, closed_ms = $2, decision = $3 WHERE session = $4 AND id = $5 AND status = 'pending'

-- name: drop-pending
UPDATE session_requests SET status = 'cancelled', closed_ms = $1 WHERE session = $2 AND status = 'pending'

-- name: late-requests
SELECT s.owner, r.session, r.id FROM session_requests r JOIN sessions s ON s.id = r.session
WHERE r.status = 'pending' AND r.timeout_ms <= $1 ORDER BY r.timeout_ms, r.session LIMIT $2

-- name: add-checkpoint
INSERT INTO session_checkpoints (session, number, snapshot, label, at_ms) VALUES ($1, $2, $3, $4, $5)

-- name: checkpoints
SELECT number, snapshot, label, at_ms FROM session_checkpoints WHERE session = $1 ORDER BY number

-- name: add-event
INSERT INTO session_events (session, seq, owner, type, at_ms, data, published) VALUES ($1, $2, $3, $4, $5, $6, 0)

-- name: events
SELECT session, seq, owner, type, at_ms, data FROM session_events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3

-- name: unpublished
SELECT session, seq, owner, type, at_ms, data FROM session_events WHERE published = 0 ORDER BY at_ms, session, seq LIMIT $1

-- name: published
UPDATE session_events SET published = 1 WHERE session = $1 AND seq = $2

-- name: add-tombstone
INSERT INTO session_tombstones (id, owner, parent, head, kind, status, at_ms, purge) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)

-- name: tombstone
SELECT id, owner, parent, head, kind, status, at_ms, purge FROM session_tombstones WHERE id = $1 AND owner = $2

-- name: unpurged
SELECT id, owner, parent, head, kind, status, at_ms, purge FROM session_tombstones WHERE purge IS NOT NULL ORDER BY at_ms, id LIMIT $1

-- name: purged
UPDATE session_tombstones SET purge = NULL WHERE id = $1 AND owner = $2

-- name: add-archive
INSERT INTO session_archives (id, document) VALUES ($1, $2)

-- name: archive
SELECT a.document FROM session_archives a JOIN session_tombstones t ON t.id = a.id WHERE a.id = $1 AND t.owner = $2

-- name: add-day
INSERT INTO session_days (owner, day, sessions, completed, failed, ran, execution_ms, tokens, cost_micro) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (owner, day) DO UPDATE SET sessions = session_days.sessions + excluded.sessions, completed = session_days.completed + excluded.completed,
  failed = session_days.failed + excluded.failed, ran = session_days.ran + excluded.ran, execution_ms = session_days.execution_ms + excluded.execution_ms,
  tokens = session_days.tokens + excluded.tokens, cost_micro = session_days.cost_micro + excluded.cost_micro

-- name: daily
SELECT day, CAST(SUM(sessions) AS BIGINT), CAST(SUM(completed) AS BIGINT), CAST(SUM(failed) AS BIGINT), CAST(SUM(ran) AS BIGINT),
  CAST(SUM(execution_ms) AS BIGINT), CAST(SUM(tokens) AS BIGINT), CAST(SUM(cost_micro) AS BIGINT)
FROM (
  SELECT day, sessions, completed, failed, ran, execution_ms, tokens, cost_micro FROM session_days
  WHERE day >= CAST($1 AS BIGINT) AND day <= $2 AND (CAST($3 AS BIGINT) = 1 OR owner = $4)
  UNION ALL
  SELECT (created_ms - CAST($5 AS BIGINT)) / 86400000 + $1, 1, CASE WHEN status = 'completed' THEN 1 ELSE 0 END,
    CASE WHEN status = 'failed' THEN 1 ELSE 0 END, CASE WHEN started_ms IS NOT NULL AND (status <> 'running' OR execution_ms > 0) THEN 1 ELSE 0 END,
    execution_ms, tokens, cost_micro
  FROM sessions WHERE created_ms >= $5 AND created_ms < $6 AND ($3 = 1 OR owner = $4)
) AS days
GROUP BY day ORDER BY day DESC
