-- Counts per stage, kept by triggers so that no caller can forget them and nobody has to scan.

INSERT INTO counters (name, value) VALUES
    ('received', 0), ('duplicates', 0),
    ('events.waiting', 0), ('events.distilled', 0), ('events.parked', 0),
    ('rows.observation', 0), ('rows.summary', 0), ('rows.prompt', 0), ('rows.memory', 0),
    ('rows.snapshot', 0), ('tokens', 0);

CREATE TRIGGER events_in AFTER INSERT ON events BEGIN
    UPDATE counters SET value = value + 1 WHERE name IN ('received', 'events.' || NEW.state);
END;
CREATE TRIGGER events_over AFTER UPDATE OF state ON events WHEN OLD.state <> NEW.state BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'events.' || OLD.state;
    UPDATE counters SET value = value + 1 WHERE name = 'events.' || NEW.state;
END;
CREATE TRIGGER events_out AFTER DELETE ON events BEGIN
    UPDATE counters SET value = value - 1 WHERE name = 'events.' || OLD.state;
END;
