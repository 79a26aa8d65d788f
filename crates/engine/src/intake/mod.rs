//! Events on their way in: cleaned again, recognised when they come twice, stored, answered.

mod before_file;
mod deadline;
mod dedupe;
mod follow_up;
mod record;
mod reply;

pub use reply::Asked;

#[cfg(test)]
mod tests;
