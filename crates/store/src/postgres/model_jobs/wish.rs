//! How jobs for a model come into being: beside what the rules save, and due when a turn is over.

use afterword_domain::Time;

use crate::contract::{ModelWish, TurnKey};
use crate::postgres::connect::{Sql, Tx};
use crate::postgres::values::get;

/// Makes the turn's job wait, and that of its session. A turn that another one follows is over.
pub(in crate::postgres) async fn note_wish(
    tx: &Tx,
    turn: TurnKey,
    wish: &ModelWish,
    now: Time,
) -> Sql<()> {
    let TurnKey { session_id, prompt_number } = turn;
    if let Some(at) = wish.turn {
        tx.run(
            "INSERT INTO model_jobs AS j (tenant, session_id, level, prompt_number, run_after)
             SELECT $1, id, 'turn', $3,
                 CASE WHEN prompt_counter > $3 THEN least($4::bigint, $5::bigint) ELSE $4 END
             FROM sdk_sessions WHERE tenant = $1 AND id = $2
             ON CONFLICT (tenant, session_id, level, prompt_number) DO UPDATE
             SET run_after = excluded.run_after WHERE j.state = 'waiting' AND j.attempts = 0",
            &[&session_id, &prompt_number, &at.millis(), &now.millis()],
        )
        .await?;
    }
    // What its last summary tells of already needs no other.
    tx.run(
        "INSERT INTO model_jobs AS j (tenant, session_id, level, prompt_number, run_after)
         VALUES ($1, $2, 'session', 0, $4)
         ON CONFLICT (tenant, session_id, level, prompt_number) DO UPDATE
         SET run_after = excluded.run_after, state = 'waiting', attempts = 0, error = NULL
         WHERE (j.state IN ('waiting', 'done', 'parked')
             OR (j.state = 'dropped' AND j.dropped_at < $3))
         AND j.up_to_prompt < $3",
        &[&session_id, &prompt_number, &wish.session.millis()],
    )
    .await?;
    Ok(())
}

/// Makes the jobs of a session's turns before `below` due: those turns are over.
pub(in crate::postgres) async fn close_turns(
    tx: &Tx,
    session_id: i64,
    below: i64,
    at: i64,
) -> Sql<()> {
    let sql = "UPDATE model_jobs SET run_after = $4
               WHERE tenant = $1 AND session_id = $2 AND level = 'turn' AND prompt_number < $3
               AND state = 'waiting' AND attempts = 0 AND run_after > $4";
    tx.run(sql, &[&session_id, &below, &at]).await?;
    Ok(())
}

/// The newest event that a model's rows of the turn rest on; 0 while there are none.
pub(in crate::postgres) async fn model_seen(tx: &Tx, turn: TurnKey) -> Sql<i64> {
    let sql = "SELECT seen_event_id FROM model_jobs
               WHERE tenant = $1 AND session_id = $2 AND level = 'turn' AND prompt_number = $3
               AND state = 'done'";
    let row = tx.first(sql, &[&turn.session_id, &turn.prompt_number]).await?;
    row.map_or(Ok(0), |row| get(&row, "seen_event_id"))
}

/// Whether a model's summary of the session tells of this turn.
pub(in crate::postgres) async fn session_told(tx: &Tx, turn: TurnKey) -> Sql<bool> {
    let sql = "SELECT 1 FROM model_jobs WHERE tenant = $1 AND session_id = $2
               AND level = 'session' AND answer IS NOT NULL AND up_to_prompt >= $3";
    tx.exists(sql, &[&turn.session_id, &turn.prompt_number]).await
}
