// Telling parts of the page of each other without their knowing each other.

const listeners = new Map();

/** Calls `listener` whenever `name` is told; gives back how to stop that. */
export function listen(name, listener) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name).add(listener);
  return () => listeners.get(name).delete(listener);
}

/** Tells everybody who listens. */
export function tell(name, value) {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(value);
}
