// The beginning.
import { mark, t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { startLive, stopLive } from "../net/live.js";
import { put } from "../ui/dom.js";
import { failed } from "../ui/empty.js";
import { speaker, toasts } from "../ui/say.js";
import { gate } from "./gate.js";
import { Shell } from "./shell.js";
import { startShortcuts } from "./shortcuts.js";
import { listen } from "./signals.js";
import { loadProjects, setClock, setConnection, state } from "./state.js";
import { applyTheme } from "./theme.js";

const root = document.getElementById("app");
let shell = null;
let shut = false;

applyTheme();
mark();
document.body.append(toasts, speaker);
startShortcuts();
listen("signed-out", (why) => close(why));
listen("redraw", () => shell && draw());
begin();

async function begin() {
  try {
    const [boot] = await Promise.all([api.get("/api/viewer"), loadProjects()]);
    setClock(Date.parse(boot.now));
    state.boot = boot;
  } catch (error) {
    if (error.kind === "signed-out") return;
    put(root, failed(error, begin));
    setTimeout(() => !state.boot && begin(), 2_000);
    return;
  }
  shut = false;
  // The link has done its work.
  if (location.pathname !== "/") history.replaceState(null, "", `/${location.hash}`);
  draw();
  startLive();
}

function draw() {
  shell?.destroy();
  shell = new Shell(root);
}

/** Nobody is signed in, or nobody any more. */
function close(why) {
  if (shut) return;
  shut = true;
  stopLive();
  setConnection("connecting");
  shell?.destroy();
  shell = null;
  document.title = `${t("gate.title")} · ${t("app.name")}`;
  const used = location.pathname === "/sign-in" ? "used" : why;
  put(root, gate(used, begin));
}
