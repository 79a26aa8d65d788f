//! The real Claude Code CLI with our hooks, against a scripted model.

mod machinery;
