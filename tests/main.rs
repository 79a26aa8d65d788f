//! The one integration binary: a module a story, and the rules of the house.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

/// Every file of `tests/` is a module of this binary.
mod all_declared;
/// The rules of the house.
mod architecture;
/// A session and its prompts are given what concerns the work at hand.
mod at_hand;
/// What the daemon is given is bounded.
mod bounds;
/// The viewer in a real browser.
mod browser;
/// The real client, driven against a scripted model.
mod claude_code;
/// People's commands as a person or a program uses them.
mod commands;
/// The whole way with a model.
mod distilling;
/// What the documents say is so.
mod documents;
/// Nothing lost, nothing twice.
mod durability;
/// How well recall finds what it should.
mod eval;
/// What is known of a file before it is touched.
mod file_recall;
/// Anything at all, handed to whatever reads what others wrote.
mod fuzz;
/// Trouble that lasts is told once.
mod health;
/// Hooks whose surroundings are broken.
mod hook_faults;
/// A provider that does its worst, end to end.
mod hostile;
/// One happening is one row, one piece of work one project.
mod identity;
/// Whatever happens to the daemon.
#[cfg(unix)]
mod lifecycle;
/// Live events, and the command that follows them.
mod live;
/// Who may ask the loopback API, and hostile callers.
mod loopback;
/// The tools that the model calls.
mod mcp;
/// The tools that the model calls, by the official client.
mod mcp_client;
/// The memory door, asked by the official clients, our own hooks and generated requests.
mod memory_door;
/// Installing the embedding model.
mod model;
/// The observer's own hooks and MCP server, driven against our daemon.
#[cfg(unix)]
mod observer_client;
/// The observer door, old spellings and new.
mod observer_door;
/// What is read through the observer door.
mod observer_reads;
/// Private text is nowhere.
mod privacy;
/// Setting up whoever runs a language model.
mod provider;
/// What afterword does not do.
mod quiet;
/// Recall against a real store.
mod recall;
/// What one session did is there when the next one starts.
mod remember;
/// Hooks whose memories a remote service keeps.
mod remote;
/// What models cost, and what sessions were handed.
mod spend;
/// The database under faults, and its bounds.
mod store_faults;
/// The team server, on a real PostgreSQL.
#[cfg(unix)]
mod team;
/// Looking around in what is remembered.
mod timeline;
/// Signing a page in, and what the viewer asks.
mod viewer;
/// The viewer's words in both languages.
mod words;
