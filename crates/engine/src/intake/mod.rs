//! Events on their way in: cleaned again, recognised when they come twice, stored, answered.

mod dedupe;
mod record;
mod reply;
