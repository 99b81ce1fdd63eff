// The service's routes and WebSocket. The key lives in this tab only; it is in no cookie, so no other page can use it.

const keyName = "session-key";

export const key = () => sessionStorage.getItem(keyName); // null: nobody has signed in
export const forget = () => sessionStorage.removeItem(keyName);
export const remember = (k) => sessionStorage.setItem(keyName, k);

// takeKey takes the key out of the address, where session serve puts it, so that it stands in no history. It says whether
// one was there.
export function takeKey() {
  const match = location.hash.match(/^#key=(.*)$/);
  if (!match) return false;
  remember(match[1]);
  history.replaceState(null, "", location.pathname + "#/sessions");
  return true;
}

// known is how keys and tokens are written; what is written otherwise cannot be sent, and nobody knows it.
const known = /^[A-Za-z0-9_-]+$/;

export class Refused extends Error {
  constructor(status, error) {
    super(error.message + (error.hint ? " " + error.hint : ""));
    this.status = status;
    this.code = error.code;
  }
}

export async function ask(method, path, body) {
  if (!known.test(key())) throw new Refused(401, { code: "UNAUTHORIZED", message: "" });
  const answer = await fetch("api" + path, {
    method,
    headers: {
      Authorization: "Bearer " + key(),
      "Accept-Language": document.documentElement.lang,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
  });
  const said = await answer.json();
  if (!said.success) throw new Refused(answer.status, said.error);
  return said.data;
}

export const get = (path) => ask("GET", path);

// follow listens to a session. It comes back by itself after a loss, and goes on where it was; close ends it.
export function follow(id, hear, changed) {
  let after = 0, wait = 500, ended = false, socket, timer;
  const open = () => {
    const url = new URL(`ws/${encodeURIComponent(id)}?after=${after}`, location.href.split("#")[0]);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    socket = new WebSocket(url, ["session.v1", "session.key." + key()]);
    socket.onopen = () => { wait = 500; changed(true); };
    socket.onmessage = (message) => {
      const frame = JSON.parse(message.data);
      after = Math.max(after, frame.seq);
      hear(frame);
    };
    socket.onclose = (event) => {
      changed(false);
      if (ended || event.code === 4404 || event.code === 4401) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, 15000);
    };
  };
  open();
  return () => { ended = true; clearTimeout(timer); socket.close(); };
}
