-- What an organization may use. A null limit means that the default of the installation applies; 0 means no limit.
CREATE TABLE organization_limits (
  org_id               TEXT    PRIMARY KEY REFERENCES organizations (id),
  requests_per_second  INTEGER,
  spans_per_second     INTEGER,
  stored_bytes         INTEGER,
  setups               INTEGER,
  projects             INTEGER,
  api_keys             INTEGER,
  custom_evaluators    INTEGER,
  updated_at_ms        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- For counting what an organization has when it adds to it.
CREATE INDEX setups_of_organizations ON setups (org_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX api_keys_in_use ON api_keys (org_id) WHERE revoked_at_ms IS NULL;

-- The size of the compressed spans of each project: always the sum of length(bytes) over its span_batches. Triggers keep it,
-- so that no way of storing, dropping or erasing spans can forget it.
CREATE TABLE stored_bytes (
  project_number  INTEGER PRIMARY KEY,
  bytes           INTEGER NOT NULL
) STRICT;

INSERT INTO stored_bytes (project_number, bytes)
  SELECT project_number, sum(length(bytes)) FROM span_batches GROUP BY project_number;

CREATE TRIGGER stored_bytes_added AFTER INSERT ON span_batches BEGIN
  INSERT INTO stored_bytes (project_number, bytes) VALUES (new.project_number, length(new.bytes))
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER stored_bytes_changed AFTER UPDATE OF bytes ON span_batches BEGIN
  UPDATE stored_bytes SET bytes = bytes + length(new.bytes) - length(old.bytes)
    WHERE project_number = new.project_number;
END;

CREATE TRIGGER stored_bytes_dropped AFTER DELETE ON span_batches BEGIN
  UPDATE stored_bytes SET bytes = bytes - length(old.bytes) WHERE project_number = old.project_number;
END;
