// What is done a little later, so that it can be taken back: nothing is sent before the time is
// over. Leaving the page does not take it back.
import { t } from "../i18n/index.js";
import { toast } from "../ui/say.js";
import { tell } from "../app/signals.js";

/** How long something can be taken back. */
export const WAIT_MS = 8_000;

const waiting = new Set();

/** Whether a row is about to go. */
export function isPending(id) {
  return [...waiting].some((one) => one.ids.includes(id));
}

/**
 * Does something after a while. `ids` are the rows that go with it: lists leave them out at once.
 * `commit({ keepalive })` does it, `done` and `failed` say what came of it.
 */
export function later({ ids, say, commit, done, failed }) {
  const one = { ids, commit };
  const end = () => {
    clearTimeout(timer);
    waiting.delete(one);
    close();
  };
  one.undo = () => {
    end();
    tell("pending");
    toast(t("forget.kept"));
  };
  one.send = async () => {
    clearTimeout(timer);
    close();
    try {
      const answer = await commit({});
      waiting.delete(one);
      done(answer);
    } catch (error) {
      waiting.delete(one);
      failed(error.kind === "offline" ? t("error.offline") : error.message);
    }
    tell("pending");
  };
  waiting.add(one);
  const timer = setTimeout(one.send, WAIT_MS);
  const close = toast(say, [[t("forget.undo"), one.undo], [t("forget.now"), one.send]], { stays: true });
  tell("pending");
}

/** Takes the last thing back; whether there was one. */
export function undoLast() {
  const last = [...waiting].at(-1);
  last?.undo();
  return Boolean(last);
}

window.addEventListener("pagehide", () => {
  for (const one of waiting) one.commit({ keepalive: true }).catch(() => {});
  waiting.clear();
});
