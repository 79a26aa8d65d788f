-- What a session was given is kept by the agent's own id of it, so that sessions of which nothing
-- else is kept are given nothing twice either. `kind` is `file` where `row_id` is the hash of a
-- file's path.

CREATE TABLE given_by_name (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    agent            TEXT NOT NULL,
    agent_session_id TEXT NOT NULL,
    kind             TEXT NOT NULL DEFAULT '',
    row_id           INTEGER NOT NULL DEFAULT 0,
    UNIQUE (agent, agent_session_id, kind, row_id)
) STRICT;
INSERT INTO given_by_name (agent, agent_session_id, kind, row_id)
    SELECT s.agent, s.agent_session_id, g.kind, g.row_id
    FROM session_given g JOIN sdk_sessions s ON s.id = g.session_id ORDER BY g.id;
DROP TABLE session_given;
ALTER TABLE given_by_name RENAME TO session_given;

CREATE TRIGGER sdk_sessions_out AFTER DELETE ON sdk_sessions BEGIN
    DELETE FROM session_given
        WHERE agent = OLD.agent AND agent_session_id = OLD.agent_session_id;
END;
