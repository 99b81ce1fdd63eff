// Tells the session program what happens in OpenCode, so that it saves where the work stopped and says it again at the
// next start. Written by `session init opencode`, removed by `session init opencode --uninstall`. Where the program is
// not installed nothing happens; nothing here blocks or changes what OpenCode does.
import { spawn } from "node:child_process"

const PATIENCE = 3000 // ms that a prompt may wait for an answer
const MESSAGES = 60 // of a conversation that are handed over at most
const TEXT = 16 << 10 // characters of a text or an output that are handed over at most

// tell starts `session hook EVENT` with one JSON document on its standard input, and gives what it answers.
function tell(event, cwd, body) {
  return new Promise((done) => {
    let answer = ""
    const finish = () => {
      clearTimeout(timer)
      try {
        done(JSON.parse(answer))
      } catch {
        done({})
      }
    }
    const timer = setTimeout(finish, PATIENCE)
    try {
      // A group of its own, so that the last save survives the end of OpenCode.
      const child = spawn("session", ["hook", event, "--from", "opencode"], {
        cwd, detached: true, windowsHide: true, stdio: ["pipe", "pipe", "ignore"],
      })
      child.on("error", finish)
      child.on("close", finish)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (part) => {
        if (answer.length < 1 << 20) answer += part
      })
      child.stdin.end(JSON.stringify({ cwd, ...body }))
      child.unref()
    } catch {
      finish()
    }
  })
}

const tail = (text) => (typeof text === "string" ? text.slice(-TEXT) : "")

// brief keeps of a message what a history needs.
function brief(message) {
  const parts = []
  for (const part of message.parts ?? []) {
    if (part.type === "text" && !part.synthetic) parts.push({ type: "text", text: (part.text ?? "").slice(0, TEXT) })
    if (part.type !== "tool") continue
    const state = part.state ?? {}
    parts.push({
      type: "tool", tool: part.tool, callID: part.callID,
      state: { status: state.status, input: state.input, output: tail(state.output ?? state.error), exit: state.metadata?.exit },
    })
  }
  const { id, role, time, modelID, tokens, cost } = message.info ?? {}
  return { id, role, time, modelID, tokens, cost, parts }
}

export const Session = async ({ client, directory }) => {
  const created = new Set() // sessions that began here; others are resumed
  const children = new Set() // sessions of agents
  const starts = new Map() // session → what the program says at its start

  function start(id) {
    if (!starts.has(id)) {
      const source = created.has(id) ? "startup" : "resume"
      starts.set(id, tell("session-start", directory, { session_id: id, source }).then(async (answer) => {
        if (answer.message) await client.tui?.showToast({ body: { message: answer.message, variant: "info" } }).catch(() => {})
        return answer
      }))
    }
    return starts.get(id)
  }

  return {
    event: async ({ event }) => {
      const id = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created") (event.properties?.info?.parentID ? children : created).add(id)
      if (event.type !== "session.idle" || children.has(id)) return
      const all = await client.session.messages({ path: { id } }).catch(() => ({}))
      await tell("turn-end", directory, { session_id: id, messages: (all.data ?? []).slice(-MESSAGES).map(brief) })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input.sessionID || children.has(input.sessionID)) return
      const answer = await start(input.sessionID)
      if (answer.context) output.system.push(answer.context)
    },
    "experimental.session.compacting": async (input) => {
      await tell("before-compact", directory, { session_id: input.sessionID })
    },
    "tool.execute.after": async (input, output) => {
      const session_id = input.sessionID
      if (input.tool === "task") {
        tell("agent-end", directory, { session_id, agent: input.args?.subagent_type, message: tail(output.output) })
      }
      if (input.tool === "bash" && output.metadata?.exit) {
        tell("tool-failed", directory, {
          session_id, command: input.args?.command, exit_code: output.metadata.exit, output: tail(output.output),
        })
      }
    },
  }
}
