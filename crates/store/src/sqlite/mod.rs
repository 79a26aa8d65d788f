//! The store on one machine: a SQLite file in WAL mode, one writer and a few readers.
