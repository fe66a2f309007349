-- Events that came as logs and belong to a span, which may arrive before or after them. `event_key` tells one that comes again
-- from another one.
CREATE TABLE span_contents (
  number          INTEGER PRIMARY KEY,
  project_number  INTEGER NOT NULL,
  trace_id        BLOB    NOT NULL,
  span_id         BLOB    NOT NULL,
  event_key       BLOB    NOT NULL,
  received_at_ms  INTEGER NOT NULL,
  byte_length     INTEGER NOT NULL,
  bytes           BLOB    NOT NULL,
  UNIQUE (project_number, trace_id, span_id, event_key)
) STRICT;
CREATE INDEX span_contents_by_age ON span_contents (project_number, received_at_ms);

-- They count towards the stored bytes of their project as spans do.
CREATE TRIGGER content_bytes_added AFTER INSERT ON span_contents BEGIN
  INSERT INTO stored_bytes (project_number, bytes) VALUES (new.project_number, length(new.bytes))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER content_bytes_dropped AFTER DELETE ON span_contents BEGIN
  UPDATE stored_bytes SET bytes = bytes - length(old.bytes) WHERE project_number = old.project_number;
END;
