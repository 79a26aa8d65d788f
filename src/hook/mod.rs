//! stdin → event → reply, in milliseconds, whatever happens.
