-- Answers of a model that are paid for and not used yet: written with their charge, gone with
-- what they were used for. `note`: what whoever asked needs to read it. Of a job, or of an
-- inference (its uid).
CREATE TABLE paid_answers (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id    INTEGER UNIQUE REFERENCES model_jobs (id) ON DELETE CASCADE,
    inference TEXT UNIQUE,
    at        INTEGER NOT NULL DEFAULT 0,
    text      TEXT NOT NULL DEFAULT '',
    cut       INTEGER NOT NULL DEFAULT 0,
    note      TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX paid_answers_by_time ON paid_answers (at);

-- What came of an inference, by the uids of its memories and without their texts, so that asking
-- for it once more changes nothing.
CREATE TABLE inferences (
    uid   TEXT PRIMARY KEY,
    at    INTEGER NOT NULL DEFAULT 0,
    facts TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
CREATE INDEX inferences_by_time ON inferences (at);

-- The uid of the memory that took this one's place.
ALTER TABLE memories ADD COLUMN superseded_by TEXT;
CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- The newest prompt of the session when its job was dropped: later ones open it again.
ALTER TABLE model_jobs ADD COLUMN dropped_at INTEGER NOT NULL DEFAULT -1;

-- Whether a waiting job is only due later because a budget had no room for it.
ALTER TABLE model_jobs ADD COLUMN kept_back INTEGER NOT NULL DEFAULT 0;
