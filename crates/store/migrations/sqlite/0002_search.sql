-- One row of `search_rows` for each remembered row of any kind; the same key in `search_tokens`
-- (the analyzer's tokens, from which the index can be made again) and in the index itself.

CREATE TABLE search_rows (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    row_id     INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    session_id INTEGER,
    created_at INTEGER NOT NULL DEFAULT 0,
    subagent   INTEGER NOT NULL DEFAULT 0,
    tokens     INTEGER NOT NULL DEFAULT 0,
    doc_hash   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (kind, row_id)
) STRICT;
CREATE INDEX search_rows_by_time ON search_rows (created_at);
CREATE INDEX search_rows_by_kind ON search_rows (kind, created_at);
CREATE INDEX search_rows_by_project ON search_rows (project_id, created_at);
CREATE INDEX search_rows_by_project_kind ON search_rows (project_id, kind, created_at);
CREATE INDEX search_rows_by_doc ON search_rows (doc_hash);

CREATE TABLE search_tokens (
    id    INTEGER PRIMARY KEY REFERENCES search_rows (id) ON DELETE CASCADE,
    title TEXT NOT NULL DEFAULT '',
    text  TEXT NOT NULL DEFAULT '',
    files TEXT NOT NULL DEFAULT ''
) STRICT;

-- `scope` holds two tokens, of the project and of the kind, so that a filter is one more term.
-- Every class of character but blanks and controls belongs to a token: tokens come whole from the
-- analyzer, and nothing is tokenised here.
CREATE VIRTUAL TABLE search_index USING fts5 (
    title, text, files, scope,
    content = '', contentless_delete = 1,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Cf Cs Co Cn'"
);

CREATE TRIGGER search_rows_out AFTER DELETE ON search_rows BEGIN
    DELETE FROM search_tokens WHERE id = OLD.id;
    DELETE FROM search_index WHERE rowid = OLD.id;
    UPDATE counters SET value = value - 1 WHERE name = 'rows.' || OLD.kind;
    UPDATE counters SET value = value - OLD.tokens WHERE name = 'tokens';
END;
CREATE TRIGGER search_rows_in AFTER INSERT ON search_rows BEGIN
    UPDATE counters SET value = value + 1 WHERE name = 'rows.' || NEW.kind;
    UPDATE counters SET value = value + NEW.tokens WHERE name = 'tokens';
END;
CREATE TRIGGER search_rows_over AFTER UPDATE OF tokens ON search_rows BEGIN
    UPDATE counters SET value = value + NEW.tokens - OLD.tokens WHERE name = 'tokens';
END;

CREATE TRIGGER observations_out AFTER DELETE ON observations BEGIN
    DELETE FROM search_rows WHERE kind = 'observation' AND row_id = OLD.id;
END;
CREATE TRIGGER session_summaries_out AFTER DELETE ON session_summaries BEGIN
    DELETE FROM search_rows WHERE kind = 'summary' AND row_id = OLD.id;
END;
CREATE TRIGGER user_prompts_out AFTER DELETE ON user_prompts BEGIN
    DELETE FROM search_rows WHERE kind = 'prompt' AND row_id = OLD.id;
END;
CREATE TRIGGER memories_out AFTER DELETE ON memories BEGIN
    DELETE FROM search_rows WHERE kind = 'memory' AND row_id = OLD.id;
END;
CREATE TRIGGER snapshots_out AFTER DELETE ON snapshots BEGIN
    DELETE FROM search_rows WHERE kind = 'snapshot' AND row_id = OLD.id;
END;
