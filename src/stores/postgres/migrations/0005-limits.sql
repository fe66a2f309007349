-- First of all, because whoever stores spans takes this lock before that of setups.
LOCK TABLE span_batches IN SHARE ROW EXCLUSIVE MODE;

-- What an organization may use. A null limit means that the default of the installation applies; 0 means no limit.
CREATE TABLE organization_limits (
  org_id               TEXT COLLATE "C" PRIMARY KEY REFERENCES organizations (id),
  requests_per_second  BIGINT,
  spans_per_second     BIGINT,
  stored_bytes         BIGINT,
  setups               BIGINT,
  projects             BIGINT,
  api_keys             BIGINT,
  custom_evaluators    BIGINT,
  updated_at_ms        BIGINT NOT NULL
);

-- The size of the compressed spans of each project: always the sum of octet_length(bytes) over its span_batches. Triggers keep
-- it, so that an older program that stores spans during an upgrade keeps it too. They belong to the statement and to the whole
-- table: moving rows into a new partition does not concern them, and dropping a partition subtracts its bytes by itself.
CREATE TABLE stored_bytes (
  project_number  BIGINT PRIMARY KEY,
  bytes           BIGINT NOT NULL
);

CREATE FUNCTION add_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stored_bytes AS s (project_number, bytes)
    SELECT project_number, sum(octet_length(bytes)) FROM added GROUP BY project_number ORDER BY project_number
    ON CONFLICT (project_number) DO UPDATE SET bytes = s.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE FUNCTION change_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stored_bytes s SET bytes = s.bytes + c.bytes FROM (
    SELECT project_number, sum(size) AS bytes FROM (
      SELECT project_number, octet_length(bytes) AS size FROM added
      UNION ALL SELECT project_number, -octet_length(bytes) FROM removed) AS sizes
    GROUP BY project_number) AS c
  WHERE s.project_number = c.project_number AND c.bytes <> 0;
  RETURN NULL;
END $$;

CREATE FUNCTION drop_stored_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stored_bytes s SET bytes = s.bytes - r.bytes FROM (
    SELECT project_number, sum(octet_length(bytes)) AS bytes FROM removed GROUP BY project_number) AS r
  WHERE s.project_number = r.project_number;
  RETURN NULL;
END $$;

-- Nobody else writes batches until this has been committed, so that the sum below is exact.
CREATE TRIGGER stored_bytes_added AFTER INSERT ON span_batches
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_stored_bytes();
CREATE TRIGGER stored_bytes_changed AFTER UPDATE ON span_batches
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION change_stored_bytes();
CREATE TRIGGER stored_bytes_dropped AFTER DELETE ON span_batches
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION drop_stored_bytes();

INSERT INTO stored_bytes (project_number, bytes)
  SELECT project_number, sum(octet_length(bytes)) FROM span_batches GROUP BY project_number;

-- How much each process has let busy keys use, for rates that hold across processes. Losing it in a crash of the server costs
-- nothing: everybody tells it anew.
CREATE UNLOGGED TABLE rate_use (
  key_id         TEXT COLLATE "C" NOT NULL,
  process_id     TEXT COLLATE "C" NOT NULL,
  requests       BIGINT           NOT NULL,
  spans          BIGINT           NOT NULL,
  updated_at_ms  BIGINT           NOT NULL,
  PRIMARY KEY (key_id, process_id)
);

-- For counting what an organization has when it adds to it.
CREATE INDEX setups_of_organizations ON setups (org_id) WHERE deleted_at_ms IS NULL;
CREATE INDEX api_keys_in_use ON api_keys (org_id) WHERE revoked_at_ms IS NULL;
