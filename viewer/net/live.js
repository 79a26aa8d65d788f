// Live events: one stream while the page is looked at, taken up again where it broke off.
import { setClock, setConnection, state } from "../app/state.js";
import { listen, tell } from "../app/signals.js";
import { api } from "./api.js";

const STREAM = "/api/events/stream";
const NAMES = [
  "connected", "initial_load", "missed", "session_started", "session_completed", "new_prompt",
  "new_observation", "new_summary", "new_memory", "new_snapshot", "row_changed", "forgotten",
  "replaced", "observation_queued", "processing_status", "heartbeat",
];

/** The server says something at least every 15 s; then it is away, or frozen. */
const SILENCE_MS = 40_000;
/** A page that nobody looks at gives its place up after this long. */
const HIDDEN_MS = 5_000;
/** Streams of one browser. It keeps six connections for one host, and asking needs one. */
const MOST_STREAMS = 4;
/** How long it may take to say that one is there. */
const PING_MS = 5_000;
const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 3_000;

let source = null;
let lastId = "";
let pause = FIRST_PAUSE_MS;
let retry = 0;
let silence = 0;
let hide = 0;
let wasAway = false;
let ended = true;
let looking = false;

// The other pages of this browser say when they begin: of too many, the oldest gives its place up.
const others = new BroadcastChannel("afterword");
const me = Math.random().toString(36);
const younger = new Set();

/** Begins, and goes on for as long as the page is open. */
export function startLive() {
  ended = false;
  // From what the page was told first on: nothing is missed until the stream is there.
  lastId ||= String(state.boot.last_event_id);
  // A page that was opened behind another one begins when it is looked at.
  if (document.hidden) rest();
  else connect();
}

/** Ends for good: nobody is signed in. */
export function stopLive() {
  ended = true;
  close();
  clearTimeout(retry);
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(hide);
  if (document.hidden) hide = setTimeout(rest, HIDDEN_MS);
  else goOn();
});
window.addEventListener("focus", goOn);
window.addEventListener("online", () => again(0));
listen("unreachable", () => {
  if (ended || looking) return;
  // Whatever was asked for has to be asked for again.
  wasAway = true;
  broken();
});
others.addEventListener("message", ({ data: { page, streams } }) => {
  if (!streams) younger.delete(page);
  else younger.add(page);
  if (source && younger.size >= MOST_STREAMS) rest();
});

/** Takes the stream up where there is none. */
function goOn() {
  if (!source && !ended) again(0);
}

function close() {
  if (source) others.postMessage({ page: me, streams: false });
  source?.close();
  source = null;
  clearTimeout(silence);
}

function rest() {
  if (ended) return;
  close();
  clearTimeout(retry);
  setConnection("resting");
}

function connect() {
  close();
  if (ended) return;
  if (state.connection !== "offline") setConnection("connecting");
  const place = lastId ? `?lastEventId=${encodeURIComponent(lastId)}` : "";
  const opened = new EventSource(STREAM + place);
  source = opened;
  younger.clear();
  others.postMessage({ page: me, streams: true });
  for (const name of NAMES) opened.addEventListener(name, (event) => opened === source && take(name, event));
  opened.onerror = () => opened === source && broken();
  watch();
}

function watch() {
  clearTimeout(silence);
  silence = setTimeout(broken, SILENCE_MS);
}

function take(name, event) {
  watch();
  if (event.lastEventId) lastId = event.lastEventId;
  const message = JSON.parse(event.data);
  if (name === "connected") arrived(message);
  else if (name === "heartbeat") setClock(message.timestamp);
  else if (name === "processing_status") working(message);
  else if (name === "missed") tell("missed");
  else if (name !== "initial_load" && name !== "observation_queued") tell("live", message);
}

function arrived(message) {
  pause = FIRST_PAUSE_MS;
  setClock(message.timestamp);
  setConnection("live");
  if (wasAway) {
    wasAway = false;
    tell("back");
  }
}

function working({ isProcessing, queueDepth }) {
  state.waiting = queueDepth;
  setConnection(isProcessing ? "working" : "live");
  tell("waiting");
}

/** The stream ended: the server left, froze, or does not know us any more. */
async function broken() {
  close();
  if (ended || looking) return;
  if (document.hidden) {
    rest();
    return;
  }
  looking = true;
  try {
    await api.get("/api/ping", {}, { patience: PING_MS });
  } catch (error) {
    if (error.kind === "signed-out") return;
    wasAway = true;
    setConnection("offline");
  } finally {
    looking = false;
  }
  again(pause);
}

function again(after) {
  clearTimeout(retry);
  if (ended) return;
  pause = Math.min(pause * 1.6, LONGEST_PAUSE_MS);
  retry = setTimeout(connect, after);
}
