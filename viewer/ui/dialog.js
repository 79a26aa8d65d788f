// Questions in front of the page. The browser keeps the focus inside and gives it back.
import { t } from "../i18n/index.js";
import { h, put } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Opens a dialog. `submit` is called with the form's button; while its promise is pending nothing
 * can be pressed, and an error it throws is shown. Gives back how to close it.
 */
export function openDialog({ title, body, action, submit, danger = false }) {
  const error = h("p", { class: "error grow", role: "alert" });
  const heading = `dialog-${Math.random().toString(36).slice(2)}`;
  const save = action && h("button", { class: `button ${danger ? "bad" : "strong"}`, type: "submit" }, action);
  const close = () => dialog.close();
  const form = h("form", { method: "dialog", novalidate: true },
    h("header", {}, h("h2", { id: heading }, title), h("button", { class: "button plain square", type: "button", "aria-label": t("row.close"), on: { click: close } }, icon("close"))),
    h("div", { class: "body" }, body),
    action && h("footer", {}, error, h("button", { class: "button", type: "button", on: { click: close } }, t("edit.cancel")), save));
  const dialog = h("dialog", { "aria-labelledby": heading }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    save.disabled = true;
    put(error);
    try {
      await submit();
      close();
    } catch (failure) {
      put(error, failure.kind === "offline" ? t("error.offline") : [failure.message, failure.hint].filter(Boolean).join("; "));
      save.disabled = false;
    }
  });
  // Ctrl and Enter send from within a text.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/** A field with its name. */
export function field(label, control) {
  return h("label", { class: "label" }, label, control);
}

/** A text of several lines that grows with what it holds. */
export function textArea(value, rows = 3) {
  const area = h("textarea", { class: "field", rows: String(rows) });
  area.value = value ?? "";
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight + 2, 360)}px`;
  };
  area.addEventListener("input", fit);
  requestAnimationFrame(fit);
  return area;
}

export function textLine(value, props = {}) {
  const input = h("input", { class: "field", type: "text", ...props });
  input.value = value ?? "";
  return input;
}
