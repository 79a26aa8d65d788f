-- What a language model is to read, or has read: a turn, or what is new of a session (`level`).
-- `state`: waiting, claimed, sent (a call is out), done, parked, dropped. `attempts`: calls that
-- were sent and gave nothing. `seen_event_id`: the newest event that the rows of a done turn rest
-- on; what came later is told by rules. A session's row keeps its last `answer`, and up to which
-- prompt that goes.
CREATE TABLE model_jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id    INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    level         TEXT NOT NULL DEFAULT 'turn',
    prompt_number INTEGER NOT NULL DEFAULT 0,
    state         TEXT NOT NULL DEFAULT 'waiting',
    run_after     INTEGER NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,
    error         TEXT,
    seen_event_id INTEGER NOT NULL DEFAULT 0,
    up_to_prompt  INTEGER NOT NULL DEFAULT -1,
    answer        TEXT,
    UNIQUE (session_id, level, prompt_number)
) STRICT;
CREATE INDEX model_jobs_by_session ON model_jobs (state, session_id, level DESC, prompt_number);
CREATE INDEX model_jobs_due ON model_jobs (state, run_after);
