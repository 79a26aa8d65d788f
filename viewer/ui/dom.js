// Making elements. Every text becomes a text node: nothing that was stored can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element. `on` holds listeners, `data` data attributes; true is an empty attribute, false,
 * null and undefined are none. */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An element of a drawing. */
export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "data") {
      for (const [key, item] of Object.entries(value)) if (item != null && item !== false) element.dataset[key] = item === true ? "" : item;
    } else if (name === "value") {
      element.value = value;
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value != null) {
      element.setAttribute(name, value);
    }
  }
  append(element, children);
  return element;
}

/** Adds children: elements, texts and lists of them. */
export function append(element, children) {
  for (const child of children.flat(9)) {
    if (child == null || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Puts children in the place of what an element holds. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** What scrolls by keys too, and says what it is. */
export function scroller(label, ...children) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children);
}

/** Whether somebody types: shortcuts are letters then. */
export function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName) && target.type !== "checkbox");
}
