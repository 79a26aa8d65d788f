-- Payloads stand in a table of their own: an event changes its state without its payload being
-- written again, and a payload can go while its event stays and is counted.

CREATE TABLE event_payloads (
    event_id INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    payload  TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO event_payloads (event_id, payload) SELECT id, payload FROM events;
ALTER TABLE events DROP COLUMN payload;

INSERT INTO counters (name, value)
    SELECT 'payload.bytes', coalesce(sum(octet_length(payload)), 0) FROM event_payloads;
CREATE TRIGGER event_payloads_in AFTER INSERT ON event_payloads BEGIN
    UPDATE counters SET value = value + octet_length(NEW.payload) WHERE name = 'payload.bytes';
END;
CREATE TRIGGER event_payloads_out AFTER DELETE ON event_payloads BEGIN
    UPDATE counters SET value = value - octet_length(OLD.payload) WHERE name = 'payload.bytes';
END;

-- `near_key`: equal for reports of one happening that carries no id of its own.
ALTER TABLE events ADD COLUMN near_key TEXT;
CREATE INDEX events_near ON events (session_id, near_key, at) WHERE near_key IS NOT NULL;
CREATE INDEX events_by_time ON events (session_id, at);
ALTER TABLE private_turns ADD COLUMN near_key TEXT;
ALTER TABLE private_turns ADD COLUMN at INTEGER NOT NULL DEFAULT 0;

-- `continues`: the session whose conversation this one goes on with. `compacted`: it was compacted
-- and has not been given its block since.
ALTER TABLE sdk_sessions ADD COLUMN continues INTEGER
    REFERENCES sdk_sessions (id) ON DELETE SET NULL;
ALTER TABLE sdk_sessions ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sdk_sessions_by_continued ON sdk_sessions (continues) WHERE continues IS NOT NULL;

-- Rows that a session was given, so that nothing is given twice.
CREATE TABLE session_given (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sdk_sessions (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL DEFAULT '',
    row_id     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (session_id, kind, row_id)
) STRICT;

-- Events from which more than distilling follows, until it is done.
CREATE TABLE follow_ups (
    event_id INTEGER PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX jobs_by_session ON jobs (state, session_id, run_after);
