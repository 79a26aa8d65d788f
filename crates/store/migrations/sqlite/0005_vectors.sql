-- Vectors of the passages of remembered rows. Those of two spaces (a model, and the way its rows
-- are cut) are never compared. `search_rows.embedded` is the space that a row was last embedded
-- for, 0 for none; a row without a passage has no vector and counts as embedded too.

CREATE TABLE vector_spaces (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    name      TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE embeddings (
    row_id   INTEGER NOT NULL REFERENCES search_rows (id) ON DELETE CASCADE,
    space_id INTEGER NOT NULL,
    part     INTEGER NOT NULL DEFAULT 0,
    vector   BLOB NOT NULL DEFAULT x'',
    PRIMARY KEY (row_id, space_id, part)
) STRICT, WITHOUT ROWID;

-- Rows whose vectors came, went or belong to another time now, for whoever keeps them in memory.
CREATE TABLE vector_changes (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    row_id INTEGER NOT NULL DEFAULT 0
) STRICT;

ALTER TABLE search_rows ADD COLUMN embedded INTEGER NOT NULL DEFAULT 0;
CREATE INDEX search_rows_by_embedded ON search_rows (embedded, created_at);

CREATE TRIGGER embeddings_out AFTER DELETE ON search_rows WHEN OLD.embedded <> 0 BEGIN
    DELETE FROM embeddings WHERE row_id = OLD.id;
    INSERT INTO vector_changes (row_id) VALUES (OLD.id);
    UPDATE counters SET value = value - 1 WHERE name = 'embedded.' || OLD.embedded;
END;
CREATE TRIGGER embeddings_stale AFTER UPDATE OF doc_hash ON search_rows
WHEN OLD.doc_hash <> NEW.doc_hash AND NEW.embedded <> 0 BEGIN
    DELETE FROM embeddings WHERE row_id = NEW.id;
    UPDATE search_rows SET embedded = 0 WHERE id = NEW.id;
    INSERT INTO vector_changes (row_id) VALUES (NEW.id);
END;
CREATE TRIGGER embeddings_moved AFTER UPDATE OF created_at ON search_rows
WHEN OLD.created_at <> NEW.created_at AND NEW.embedded <> 0 BEGIN
    INSERT INTO vector_changes (row_id) VALUES (NEW.id);
END;
CREATE TRIGGER embeddings_over AFTER UPDATE OF embedded ON search_rows
WHEN OLD.embedded <> NEW.embedded BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'embedded.' || OLD.embedded;
    UPDATE counters SET value = value + 1 WHERE name = 'embedded.' || NEW.embedded;
END;
