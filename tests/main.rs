//! The one integration binary: a module a story, and the rules of the house.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

/// Every file of `tests/` is a module of this binary.
mod all_declared;
/// The rules of the house.
mod architecture;
/// The real client, driven against a scripted model.
mod claude_code;
/// Hooks whose surroundings are broken.
mod hook_faults;
