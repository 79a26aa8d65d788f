-- What calls to a model may use, or have used. `day`: days since the Unix epoch, UTC. `state`:
-- reserved (nobody has said yet what it used), used, unknown (sent, and nobody will say), nothing.
-- Tokens and cost are the most there can be until the call is settled. Costs are micros of the
-- currency, NULL where the price is not known.
-- A row outlives its project and session: what was spent stays spent.
CREATE TABLE spend (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    day           INTEGER NOT NULL DEFAULT 0,
    at            INTEGER NOT NULL DEFAULT 0,
    provider      TEXT NOT NULL DEFAULT '',
    model         TEXT NOT NULL DEFAULT '',
    purpose       TEXT NOT NULL DEFAULT '',
    project_id    INTEGER REFERENCES projects (id) ON DELETE SET NULL,
    session_id    INTEGER REFERENCES sdk_sessions (id) ON DELETE SET NULL,
    backlog       INTEGER NOT NULL DEFAULT 0,
    state         TEXT NOT NULL DEFAULT 'reserved',
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost          INTEGER
) STRICT;
CREATE INDEX spend_by_day ON spend (day);
CREATE INDEX spend_by_project ON spend (project_id);
CREATE INDEX spend_by_session ON spend (session_id);

-- Blocks that sessions were handed, by the way they came.
CREATE TABLE injected (
    day        INTEGER NOT NULL DEFAULT 0,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    way        TEXT NOT NULL DEFAULT '',
    blocks     INTEGER NOT NULL DEFAULT 0,
    tokens     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, project_id, way)
) STRICT, WITHOUT ROWID;
CREATE INDEX injected_by_project ON injected (project_id);
