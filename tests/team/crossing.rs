//! Nothing crosses.
