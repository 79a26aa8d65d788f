-- What happened to rows and sessions, in order, for whoever watches. Texts are not kept here:
-- whoever reads looks a row up as it is by then, so nothing forgotten is told again. The numbers
-- go on for ever; the last 10,000 changes stay. `kind` is empty (NULL) for a session.
CREATE TABLE live_changes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    change     TEXT NOT NULL DEFAULT '',
    kind       TEXT,
    subject    INTEGER NOT NULL DEFAULT 0,
    project_id INTEGER NOT NULL DEFAULT 0,
    session_id INTEGER
) STRICT;
CREATE TRIGGER live_changes_in AFTER INSERT ON live_changes WHEN NEW.id % 100 = 0 BEGIN
    DELETE FROM live_changes WHERE id <= NEW.id - 10000;
END;

-- Every remembered row has one row in `search_rows`.
CREATE TRIGGER live_rows_in AFTER INSERT ON search_rows BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES ('new', NEW.kind, NEW.row_id, NEW.project_id, NEW.session_id);
END;
CREATE TRIGGER live_rows_over AFTER UPDATE OF created_at, doc_hash ON search_rows
WHEN OLD.created_at <> NEW.created_at OR OLD.doc_hash <> NEW.doc_hash BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES ('changed', NEW.kind, NEW.row_id, NEW.project_id, NEW.session_id);
END;

-- A row with a tombstone was forgotten; any other gave way when its turn was distilled again.
CREATE TRIGGER live_observations_out AFTER DELETE ON observations BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES (CASE WHEN EXISTS (SELECT 1 FROM tombstones WHERE uid = OLD.uid)
        THEN 'forgotten' ELSE 'replaced' END, 'observation', OLD.id, OLD.project_id, OLD.session_id);
    DELETE FROM row_revisions WHERE kind = 'observation' AND row_id = OLD.id;
END;
CREATE TRIGGER live_session_summaries_out AFTER DELETE ON session_summaries BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES (CASE WHEN EXISTS (SELECT 1 FROM tombstones WHERE uid = OLD.uid)
        THEN 'forgotten' ELSE 'replaced' END, 'summary', OLD.id, OLD.project_id, OLD.session_id);
    DELETE FROM row_revisions WHERE kind = 'summary' AND row_id = OLD.id;
END;
CREATE TRIGGER live_user_prompts_out AFTER DELETE ON user_prompts BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES ('forgotten', 'prompt', OLD.id, OLD.project_id, OLD.session_id);
END;
CREATE TRIGGER live_memories_out AFTER DELETE ON memories BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id)
    VALUES ('forgotten', 'memory', OLD.id, OLD.project_id);
    DELETE FROM row_revisions WHERE kind = 'memory' AND row_id = OLD.id;
END;
CREATE TRIGGER live_snapshots_out AFTER DELETE ON snapshots BEGIN
    INSERT INTO live_changes (change, kind, subject, project_id, session_id)
    VALUES ('forgotten', 'snapshot', OLD.id, OLD.project_id, OLD.session_id);
END;

CREATE TRIGGER live_sessions_in AFTER INSERT ON sdk_sessions WHEN NEW.status = 'active' BEGIN
    INSERT INTO live_changes (change, subject, project_id, session_id)
    VALUES ('started', NEW.id, NEW.project_id, NEW.id);
END;
CREATE TRIGGER live_sessions_over AFTER UPDATE OF status ON sdk_sessions
WHEN OLD.status <> NEW.status BEGIN
    INSERT INTO live_changes (change, subject, project_id, session_id)
    VALUES (CASE NEW.status WHEN 'active' THEN 'resumed' ELSE 'completed' END,
        NEW.id, NEW.project_id, NEW.id);
END;

-- What a row said before a person changed it, as JSON, so that it can be seen and taken back. Goes
-- with its row.
CREATE TABLE row_revisions (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT NOT NULL DEFAULT '',
    row_id INTEGER NOT NULL DEFAULT 0,
    change TEXT NOT NULL DEFAULT '',
    before TEXT NOT NULL DEFAULT '{}',
    at     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX row_revisions_by_row ON row_revisions (kind, row_id);
