//! The one blocking door to the daemon.
