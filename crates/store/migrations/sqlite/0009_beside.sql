-- The vectors of a row hold a part of what stands before it in its session: the row of the same kind
-- with the number before. When that one goes or changes, they go too, and the row waits for new ones.

CREATE TRIGGER embeddings_beside_out AFTER DELETE ON search_rows WHEN OLD.session_id IS NOT NULL BEGIN
    INSERT INTO vector_changes (row_id) SELECT id FROM search_rows
        WHERE kind = OLD.kind AND row_id = OLD.row_id + 1 AND session_id = OLD.session_id AND embedded <> 0;
    DELETE FROM embeddings WHERE row_id IN (SELECT id FROM search_rows
        WHERE kind = OLD.kind AND row_id = OLD.row_id + 1 AND session_id = OLD.session_id AND embedded <> 0);
    UPDATE search_rows SET embedded = 0
        WHERE kind = OLD.kind AND row_id = OLD.row_id + 1 AND session_id = OLD.session_id AND embedded <> 0;
END;

CREATE TRIGGER embeddings_beside_stale AFTER UPDATE OF doc_hash ON search_rows
WHEN OLD.doc_hash <> NEW.doc_hash AND NEW.session_id IS NOT NULL BEGIN
    INSERT INTO vector_changes (row_id) SELECT id FROM search_rows
        WHERE kind = NEW.kind AND row_id = NEW.row_id + 1 AND session_id = NEW.session_id AND embedded <> 0;
    DELETE FROM embeddings WHERE row_id IN (SELECT id FROM search_rows
        WHERE kind = NEW.kind AND row_id = NEW.row_id + 1 AND session_id = NEW.session_id AND embedded <> 0);
    UPDATE search_rows SET embedded = 0
        WHERE kind = NEW.kind AND row_id = NEW.row_id + 1 AND session_id = NEW.session_id AND embedded <> 0;
END;
