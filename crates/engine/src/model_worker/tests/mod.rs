mod cost;
mod failures;
mod paid;
mod play;
mod rows;
mod sessions;
