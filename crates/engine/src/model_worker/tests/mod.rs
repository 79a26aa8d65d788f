mod cost;
mod failures;
mod play;
mod rows;
mod sessions;
