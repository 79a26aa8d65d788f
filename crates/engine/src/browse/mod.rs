//! What people look at and change in the viewer: rows page by page, sessions joined into
//! conversations, one session from prompt to evidence, what the next one would be given and why, and
//! rows that a person corrects.

mod conversations;
mod explain;
mod feed;
mod find;
mod revise;
mod story;
#[cfg(test)]
mod tests;
