//! Events on their way in: cleaned again, recognised when they come twice, stored, answered.

mod dedupe;
mod follow_up;
mod record;
mod reply;

#[cfg(test)]
mod tests;
