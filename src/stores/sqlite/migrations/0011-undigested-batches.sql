-- Batches that the digest has passed without summing them up, so that those behind them need not wait. Each is tried again at
-- `retry_at_ms`. One that is given up cannot be read, or its digest cannot be stored, by this version of the program: it is
-- tried again after a start and once a day.
CREATE TABLE undigested_batches (
  batch_id        INTEGER PRIMARY KEY,
  project_number  INTEGER NOT NULL,
  is_given_up     INTEGER NOT NULL DEFAULT 0,
  reason          TEXT    NOT NULL,
  attempts        INTEGER NOT NULL DEFAULT 0,
  retry_at_ms     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX undigested_batches_by_retry ON undigested_batches (retry_at_ms);
CREATE INDEX undigested_batches_by_project ON undigested_batches (project_number, batch_id);

-- Earlier versions marked a batch as summed up when the store failed three times, for example because the disk was full. Such
-- a batch has no place in any trace. Batches whose spans are all about to be erased have none either, and stay as they are.
INSERT INTO undigested_batches (batch_id, project_number, reason)
  SELECT b.id, b.project_number, 'an earlier version of Assay left it out when it could not store the digest'
  FROM span_batches b JOIN projects p ON p.number = b.project_number
  WHERE b.id <= (SELECT through FROM digest_progress)
    AND NOT EXISTS (SELECT 1 FROM trace_places t WHERE t.batch_id = b.id)
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.batch_id = b.id AND count_units(e.units) >= b.span_count);

-- CRC-32 of `bytes`, so that a damaged batch is found without decoding it; null in batches that were stored before.
ALTER TABLE span_batches ADD COLUMN checksum INTEGER;
-- 1 when the batch came out of a stream, so that it may have been received before something that was deleted meanwhile.
ALTER TABLE span_batches ADD COLUMN is_queued INTEGER;

-- What was deleted on request, without naming it: how much, and when it was gone from all files. `through_batch` is the newest
-- batch there was. A project that was deleted has another number since; `project_number` is the one its data had.
CREATE TABLE deletions (
  id               TEXT    PRIMARY KEY,
  org_id           TEXT    NOT NULL,
  project_id       TEXT    NOT NULL,
  project_number   INTEGER NOT NULL,
  kind             TEXT    NOT NULL,
  through_batch    INTEGER NOT NULL,
  -- Null where nobody has counted.
  spans            INTEGER,
  evaluations      INTEGER,
  -- Spans that arrived after the deletion and were not taken in.
  late_spans       INTEGER NOT NULL DEFAULT 0,
  requested_at_ms  INTEGER NOT NULL,
  erased_at_ms     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX deletions_open ON deletions (requested_at_ms) WHERE erased_at_ms IS NULL;
CREATE INDEX deletions_by_age ON deletions (requested_at_ms);

-- Which deletion counts what is found of a trace later; null for those that were deleted before there was a count.
-- `needs_search` while undigested batches may hold spans of it: then they are looked for in the index of spans.
ALTER TABLE deleted_traces ADD COLUMN deletion_id TEXT;
ALTER TABLE deleted_traces ADD COLUMN needs_search INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deleted_traces_to_search ON deleted_traces (project_number, trace_id) WHERE needs_search = 1;

ALTER TABLE deleted_sessions ADD COLUMN deletion_id TEXT;
-- A session stays deleted for what a stream brings that was received before the deletion, for as long as anything is kept at
-- most. Only a SHA-256 of the session id is kept for that.
CREATE TABLE past_session_deletions (
  project_number  INTEGER NOT NULL,
  session_hash    BLOB NOT NULL,
  deleted_at_ms   INTEGER NOT NULL,
  deletion_id     TEXT,
  PRIMARY KEY (project_number, session_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX past_session_deletions_by_age ON past_session_deletions (deleted_at_ms);

-- When all data of the project was deleted last: what a stream brings that was received before is not taken in.
ALTER TABLE projects ADD COLUMN data_deleted_at_ms INTEGER;
-- When the last pass over the whole store ended and what it found, as JSON.
CREATE TABLE verifications (
  started_at_ms  INTEGER PRIMARY KEY,
  ended_at_ms    INTEGER,
  findings       TEXT
) STRICT;
