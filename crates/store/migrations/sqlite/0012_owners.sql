-- Whose a memory is: four names, each empty where it is not set. What else its caller says of it:
-- `expires` is the last day on which it counts, as days since the Unix epoch.
ALTER TABLE memories ADD COLUMN user_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN app_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN run_id TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN categories TEXT NOT NULL DEFAULT '[]';
ALTER TABLE memories ADD COLUMN expires INTEGER;
ALTER TABLE memories ADD COLUMN immutable INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE memories ADD COLUMN actor TEXT NOT NULL DEFAULT '';
CREATE INDEX memories_by_user ON memories (user_id, created_at, expires);
CREATE INDEX memories_by_agent ON memories (agent_id, created_at, expires);
CREATE INDEX memories_by_app ON memories (app_id, created_at, expires);
CREATE INDEX memories_by_run ON memories (run_id, created_at, expires);

-- Every name that owns a memory. Its number is a token in the scope of the full-text index, so that
-- an owner is one more term; numbers are never used a second time.
CREATE TABLE owners (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL DEFAULT '',
    name TEXT NOT NULL DEFAULT '',
    UNIQUE (kind, name)
) STRICT;

-- A name goes with its last memory, what somebody thinks of a memory with it.
CREATE TRIGGER memories_owned_out AFTER DELETE ON memories BEGIN
    DELETE FROM owners WHERE kind = 'user' AND name = OLD.user_id
        AND NOT EXISTS (SELECT 1 FROM memories WHERE user_id = OLD.user_id);
    DELETE FROM owners WHERE kind = 'agent' AND name = OLD.agent_id
        AND NOT EXISTS (SELECT 1 FROM memories WHERE agent_id = OLD.agent_id);
    DELETE FROM owners WHERE kind = 'app' AND name = OLD.app_id
        AND NOT EXISTS (SELECT 1 FROM memories WHERE app_id = OLD.app_id);
    DELETE FROM owners WHERE kind = 'run' AND name = OLD.run_id
        AND NOT EXISTS (SELECT 1 FROM memories WHERE run_id = OLD.run_id);
    DELETE FROM memory_feedback WHERE memory_uid = OLD.uid;
END;

CREATE TABLE memory_feedback (
    memory_uid TEXT PRIMARY KEY,
    uid        TEXT NOT NULL DEFAULT '',
    feedback   TEXT NOT NULL DEFAULT '',
    reason     TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Histories outlive their memories, without their texts. `by_uid`: the memory that took the place
-- of one, whose text is read where it stands.
ALTER TABLE memory_history RENAME TO memory_history_before;
DROP INDEX memory_history_by_memory;
CREATE TABLE memory_history (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_uid TEXT NOT NULL DEFAULT '',
    change     TEXT NOT NULL DEFAULT '',
    text       TEXT NOT NULL DEFAULT '',
    by_uid     TEXT,
    at         INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX memory_history_by_memory ON memory_history (memory_uid);
INSERT INTO memory_history (id, memory_uid, change, text, by_uid, at)
    SELECT h.id, m.uid, h.change, CASE h.change WHEN 'superseded' THEN '' ELSE h.text END,
        CASE h.change WHEN 'superseded' THEN m.superseded_by END, h.at
    FROM memory_history_before h JOIN memories m ON m.id = h.memory_id ORDER BY h.id;
DROP TABLE memory_history_before;

-- Requests to add memories and what came of them. `request` and `owner` only while one waits.
CREATE TABLE receipts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uid          TEXT NOT NULL UNIQUE,
    status       TEXT NOT NULL DEFAULT 'pending',
    request      TEXT,
    owner        TEXT,
    lines        TEXT NOT NULL DEFAULT '[]',
    error        TEXT NOT NULL DEFAULT '',
    tries        INTEGER NOT NULL DEFAULT 0,
    run_after    INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL DEFAULT 0,
    updated_at   INTEGER NOT NULL DEFAULT 0,
    started_at   INTEGER,
    completed_at INTEGER
) STRICT;
CREATE INDEX receipts_due ON receipts (status, run_after);
CREATE INDEX receipts_by_time ON receipts (created_at);

-- Until now inferences kept these names among the caller's own fields, where they stay besides. A
-- name that would be refused today names nobody.
UPDATE memories SET
    user_id = coalesce((SELECT trim(f.atom) FROM json_each(memories.metadata) f
        WHERE f.key = 'user_id' AND f.type IN ('text', 'integer', 'real')), ''),
    agent_id = coalesce((SELECT trim(f.atom) FROM json_each(memories.metadata) f
        WHERE f.key = 'agent_id' AND f.type IN ('text', 'integer', 'real')), ''),
    app_id = coalesce((SELECT trim(f.atom) FROM json_each(memories.metadata) f
        WHERE f.key = 'app_id' AND f.type IN ('text', 'integer', 'real')), ''),
    run_id = coalesce((SELECT trim(f.atom) FROM json_each(memories.metadata) f
        WHERE f.key = 'run_id' AND f.type IN ('text', 'integer', 'real')), '')
WHERE json_valid(metadata) AND json_type(metadata) = 'object';
UPDATE memories SET user_id = '' WHERE user_id = '*' OR length(user_id) > 256
    OR user_id GLOB '*[' || char(9, 10, 11, 12, 13, 32) || ']*';
UPDATE memories SET agent_id = '' WHERE agent_id = '*' OR length(agent_id) > 256
    OR agent_id GLOB '*[' || char(9, 10, 11, 12, 13, 32) || ']*';
UPDATE memories SET app_id = '' WHERE app_id = '*' OR length(app_id) > 256
    OR app_id GLOB '*[' || char(9, 10, 11, 12, 13, 32) || ']*';
UPDATE memories SET run_id = '' WHERE run_id = '*' OR length(run_id) > 256
    OR run_id GLOB '*[' || char(9, 10, 11, 12, 13, 32) || ']*';
INSERT INTO owners (kind, name) SELECT DISTINCT 'user', user_id FROM memories WHERE user_id <> '';
INSERT INTO owners (kind, name) SELECT DISTINCT 'agent', agent_id FROM memories WHERE agent_id <> '';
INSERT INTO owners (kind, name) SELECT DISTINCT 'app', app_id FROM memories WHERE app_id <> '';
INSERT INTO owners (kind, name) SELECT DISTINCT 'run', run_id FROM memories WHERE run_id <> '';

-- Memories of owners stand in the index under the numbers of their names; the first character of
-- each token in the scope is the mark U+10F8FF.
DELETE FROM search_index WHERE rowid IN (SELECT r.id FROM search_rows r
    JOIN memories m ON r.kind = 'memory' AND m.id = r.row_id
    WHERE m.user_id || m.agent_id || m.app_id || m.run_id <> '');
INSERT INTO search_index (rowid, title, text, files, scope)
    SELECT r.id, t.title, t.text, t.files,
        char(1112319) || r.project_id || ' ' || char(1112319) || r.kind
        || (SELECT group_concat(' ' || char(1112319) || 'o' || o.id || ' ' || char(1112319) || o.kind, '')
            FROM owners o WHERE o.kind = 'user' AND o.name = m.user_id
                OR o.kind = 'agent' AND o.name = m.agent_id
                OR o.kind = 'app' AND o.name = m.app_id OR o.kind = 'run' AND o.name = m.run_id)
    FROM search_rows r JOIN memories m ON r.kind = 'memory' AND m.id = r.row_id
    JOIN search_tokens t ON t.id = r.id
    WHERE m.user_id || m.agent_id || m.app_id || m.run_id <> '' ORDER BY r.id;
