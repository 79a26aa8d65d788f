// What this browser keeps between visits. Storage may be closed to us: then nothing is kept.

const PREFIX = "afterword.";

export function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return "";
  }
}

export function keep(name, value) {
  try {
    if (value === "") localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // It counts until the page is closed.
  }
}
