-- Images that an SDK took out of the prompt of a span and sent apart. They live and go with their trace, and their bytes count
-- as stored bytes like those of spans.
CREATE TABLE span_images (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  project_number  INTEGER NOT NULL,
  env_project_id  TEXT    NOT NULL,
  trace_id        BLOB    NOT NULL,
  span_id         BLOB    NOT NULL,
  name            TEXT    NOT NULL,
  content_type    TEXT    NOT NULL,
  bytes           BLOB    NOT NULL,
  checksum        INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  UNIQUE (project_number, trace_id, span_id, name)
) STRICT;
CREATE INDEX span_images_by_project ON span_images (project_number, number);

CREATE TRIGGER stored_bytes_image_added AFTER INSERT ON span_images BEGIN
  INSERT INTO stored_bytes (project_number, bytes) VALUES (new.project_number, length(new.bytes))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER stored_bytes_image_dropped AFTER DELETE ON span_images BEGIN
  UPDATE stored_bytes SET bytes = bytes - length(old.bytes) WHERE project_number = old.project_number;
END;
