mod local;
mod remote;
