// What all pages share: the project, what the server is, and how it stands.
import { api } from "../net/api.js";
import { keep, kept } from "./kept.js";
import { tell } from "./signals.js";

export const state = {
  /** What the server said first: version, pages, agents. */
  boot: null,
  /** Projects as the server lists them, last seen first. */
  projects: [],
  /** The chosen project's key; null for all. */
  projectId: Number(kept("project")) || null,
  /** `live`, `working`, `connecting`, `offline` or `resting`. */
  connection: "connecting",
  /** Events that wait to be distilled. */
  waiting: 0,
  /** What the server's clock is ahead of this one, in milliseconds. */
  ahead: 0,
};

/** The server's time by now. */
export function now() {
  return Date.now() + state.ahead;
}

/** Sets the server's clock by a time that it told just now. */
export function setClock(timestamp) {
  const ahead = timestamp - Date.now();
  const moved = Math.abs(ahead - state.ahead) > 60_000 && state.boot !== null;
  state.ahead = ahead;
  if (moved) tell("clock-moved");
}

export function projectOf(id) {
  return state.projects.find((project) => project.id === id);
}

/** The chosen project as searches name it; undefined for all. */
export function projectRef(id = state.projectId) {
  const found = projectOf(id);
  return found && { keys: found.keys, name: found.name };
}

export function chooseProject(id) {
  state.projectId = id;
  keep("project", id ? String(id) : "");
  tell("project");
}

/** Reads the projects anew. */
export async function loadProjects() {
  const answer = await api.get("/api/projects");
  state.projects = answer.items;
  if (state.projectId && !projectOf(state.projectId)) chooseProject(null);
  tell("projects");
}

export function setConnection(connection) {
  if (state.connection === connection) return;
  state.connection = connection;
  tell("connection", connection);
}
