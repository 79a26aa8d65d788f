//! The memory door: what clients of mem0's platform, of its self-hosted server and of AnalyticDB's
//! long memory ask.
//!
//! [`asked`] reads what they send, [`shape`] is what they are answered; one file a noun between
//! them. Paths of the platform end in a slash, the others do not; every one is served in both ways,
//! because a redirect of a POST breaks some clients.

mod add;
mod asked;
mod batch;
pub(in crate::api) mod described;
mod erase;
mod feedback;
mod find;
mod list;
mod one;
mod owners;
mod ping;
mod receipts;
pub(in crate::api) mod shape;

use crate::api::routes::admin;
use crate::api::table::Access::{Erase, Everybody, Read, Write};
use crate::api::table::Table;

/// The routes of this door.
pub(super) fn routes(table: Table) -> Table {
    bare_at_mem(bare(platform(table)))
}

fn platform(table: Table) -> Table {
    table
        .get_both(["/v1/ping/", "/v1/ping"], Read, ping::ping)
        .post_both(["/v3/memories/add/", "/v3/memories/add"], Write, add::platform)
        .post_both(["/v3/memories/search/", "/v3/memories/search"], Read, find::platform)
        .post_both(["/v3/memories/", "/v3/memories"], Read, list::platform)
        .post_both(["/v2/memories/search/", "/v2/memories/search"], Read, find::second)
        .post_both(["/v2/memories/", "/v2/memories"], Read, list::second)
        .post_both(["/v1/memories/search/", "/v1/memories/search"], Read, find::old)
        .post_both(["/v1/memories/", "/v1/memories"], Write, add::old)
        .get_both(["/v1/memories/", "/v1/memories"], Read, list::old)
        .delete_both(["/v1/memories/", "/v1/memories"], Erase, erase::owned)
        .get_both(["/v1/memories/{id}/", "/v1/memories/{id}"], Read, one::get)
        .put_both(["/v1/memories/{id}/", "/v1/memories/{id}"], Write, one::change_it)
        .delete_both(["/v1/memories/{id}/", "/v1/memories/{id}"], Write, one::delete)
        .get_both(["/v1/memories/{id}/history/", "/v1/memories/{id}/history"], Read, one::history)
        .put_both(["/v1/batch/", "/v1/batch"], Write, batch::update)
        .delete_both(["/v1/batch/", "/v1/batch"], Erase, batch::delete)
        .get_both(["/v1/entities/", "/v1/entities"], Read, owners::platform)
        .delete_both(
            ["/v2/entities/{type}/{name}/", "/v2/entities/{type}/{name}"],
            Erase,
            erase::entity,
        )
        .delete_both(
            ["/v1/entities/{type}/{name}/", "/v1/entities/{type}/{name}"],
            Erase,
            erase::entity,
        )
        .get_both(["/v1/events/", "/v1/events"], Read, receipts::list)
        .get_both(["/v1/event/{id}/", "/v1/event/{id}"], Read, receipts::one)
        .post_both(["/v1/feedback/", "/v1/feedback"], Write, feedback::note)
}

fn bare(table: Table) -> Table {
    table
        .post_both(["/memories", "/memories/"], Write, add::bare)
        .get_both(["/memories", "/memories/"], Read, list::bare)
        .delete_both(["/memories", "/memories/"], Erase, erase::owned)
        .post_both(["/search", "/search/"], Read, find::bare)
        .get_both(["/memories/{id}", "/memories/{id}/"], Read, one::get_or_null)
        .put_both(["/memories/{id}", "/memories/{id}/"], Write, one::change_and_tell)
        .delete_both(["/memories/{id}", "/memories/{id}/"], Write, one::delete)
        .get_both(["/memories/{id}/history", "/memories/{id}/history/"], Read, one::history)
        .get_both(["/entities", "/entities/"], Read, owners::bare)
        .delete_both(["/entities/{type}/{name}", "/entities/{type}/{name}/"], Erase, erase::entity)
        .post_both(["/reset", "/reset/"], Erase, erase::reset)
}

/// The same under the prefix of AnalyticDB.
fn bare_at_mem(table: Table) -> Table {
    table
        .get_both(["/mem/health", "/mem/health/"], Everybody, admin::alive)
        .post_both(["/mem/memories", "/mem/memories/"], Write, add::bare)
        .get_both(["/mem/memories", "/mem/memories/"], Read, list::bare)
        .delete_both(["/mem/memories", "/mem/memories/"], Erase, erase::owned)
        .post_both(["/mem/search", "/mem/search/"], Read, find::bare)
        .get_both(["/mem/memories/{id}", "/mem/memories/{id}/"], Read, one::get_or_null)
        .put_both(["/mem/memories/{id}", "/mem/memories/{id}/"], Write, one::change_and_tell)
        .delete_both(["/mem/memories/{id}", "/mem/memories/{id}/"], Write, one::delete)
        .get_both(["/mem/memories/{id}/history", "/mem/memories/{id}/history/"], Read, one::history)
        .get_both(["/mem/entities", "/mem/entities/"], Read, owners::bare)
        .delete_both(
            ["/mem/entities/{type}/{name}", "/mem/entities/{type}/{name}/"],
            Erase,
            erase::entity,
        )
        .post_both(["/mem/reset", "/mem/reset/"], Erase, erase::reset)
}
