-- What the embedded store has in its migration of the same name.

CREATE TABLE undigested_batches (
  batch_id        BIGINT PRIMARY KEY,
  project_number  BIGINT           NOT NULL,
  is_given_up     SMALLINT         NOT NULL DEFAULT 0,
  reason          TEXT COLLATE "C" NOT NULL,
  attempts        BIGINT           NOT NULL DEFAULT 0,
  retry_at_ms     BIGINT           NOT NULL DEFAULT 0
);
CREATE INDEX undigested_batches_by_retry ON undigested_batches (retry_at_ms);
CREATE INDEX undigested_batches_by_project ON undigested_batches (project_number, batch_id);

INSERT INTO undigested_batches (batch_id, project_number, reason)
  SELECT b.id, b.project_number, 'an earlier version of Assay left it out when it could not store the digest'
  FROM span_batches b JOIN digest_progress d ON d.project_number = b.project_number AND b.id <= d.through
  JOIN projects p ON p.number = b.project_number
  WHERE NOT EXISTS (SELECT 1 FROM trace_places t WHERE t.batch_id = b.id)
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.batch_id = b.id AND bit_count(e.units) >= b.span_count);

ALTER TABLE span_batches ADD COLUMN checksum BIGINT;
ALTER TABLE span_batches ADD COLUMN is_queued SMALLINT;

CREATE TABLE deletions (
  id               TEXT COLLATE "C" PRIMARY KEY,
  org_id           TEXT COLLATE "C" NOT NULL,
  project_id       TEXT COLLATE "C" NOT NULL,
  project_number   BIGINT           NOT NULL,
  kind             TEXT COLLATE "C" NOT NULL,
  through_batch    BIGINT           NOT NULL,
  spans            BIGINT,
  evaluations      BIGINT,
  late_spans       BIGINT           NOT NULL DEFAULT 0,
  requested_at_ms  BIGINT           NOT NULL,
  erased_at_ms     BIGINT
);
CREATE INDEX deletions_open ON deletions (requested_at_ms) WHERE erased_at_ms IS NULL;
CREATE INDEX deletions_by_age ON deletions (requested_at_ms);

ALTER TABLE deleted_traces ADD COLUMN deletion_id TEXT COLLATE "C";
ALTER TABLE deleted_traces ADD COLUMN needs_search SMALLINT NOT NULL DEFAULT 0;
CREATE INDEX deleted_traces_to_search ON deleted_traces (project_number, trace_id) WHERE needs_search = 1;

ALTER TABLE deleted_sessions ADD COLUMN deletion_id TEXT COLLATE "C";
CREATE TABLE past_session_deletions (
  project_number  BIGINT NOT NULL,
  session_hash    BYTEA NOT NULL,
  deleted_at_ms   BIGINT NOT NULL,
  deletion_id     TEXT COLLATE "C",
  PRIMARY KEY (project_number, session_hash)
);
CREATE INDEX past_session_deletions_by_age ON past_session_deletions (deleted_at_ms);

ALTER TABLE projects ADD COLUMN data_deleted_at_ms BIGINT;

CREATE TABLE verifications (
  started_at_ms  BIGINT PRIMARY KEY,
  ended_at_ms    BIGINT,
  findings       TEXT COLLATE "C"
);
