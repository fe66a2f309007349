-- What was deleted on request: hidden at once, erased from the files step by step, and not taken in again.

-- A trace stays deleted for as long as anything is kept at most. `has_results` until its evaluations are erased.
CREATE TABLE deleted_traces (
  project_number  INTEGER NOT NULL,
  trace_id        BLOB    NOT NULL,
  deleted_at_ms   INTEGER NOT NULL,
  has_results     INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (project_number, trace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_traces_with_results ON deleted_traces (project_number, trace_id) WHERE has_results = 1;
CREATE INDEX deleted_traces_by_age ON deleted_traces (deleted_at_ms);

-- A session is deleted with what had arrived by then: `through_batch` is the last such batch. The row goes when it has been
-- summed up, because only then it is known which traces belong to the session.
CREATE TABLE deleted_sessions (
  project_number  INTEGER NOT NULL,
  session_id      TEXT    NOT NULL,
  through_batch   INTEGER NOT NULL,
  deleted_at_ms   INTEGER NOT NULL,
  PRIMARY KEY (project_number, session_id)
) STRICT, WITHOUT ROWID;

-- Spans whose content is still to be erased from the bytes of their batch; `units` is a bitmap over its spans.
CREATE TABLE erasures (
  batch_id  INTEGER PRIMARY KEY,
  units     BLOB    NOT NULL
) STRICT;

-- Numbers that projects and monitor versions had before all their data was deleted. Nothing refers to them any longer, and
-- every row that has such a number is to be erased.
CREATE TABLE dropped_projects (number INTEGER PRIMARY KEY) STRICT;
CREATE TABLE dropped_versions (number INTEGER PRIMARY KEY) STRICT;

-- Answers of judges may quote what was deleted, and it is not known which do: all that were written or used between
-- these times are erased.
CREATE TABLE cache_erasures (
  org_id    TEXT    PRIMARY KEY,
  from_ms   INTEGER NOT NULL,
  until_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whether the write-ahead log may still hold what was erased.
CREATE TABLE erasure_progress (is_log_dirty INTEGER NOT NULL) STRICT;
INSERT INTO erasure_progress (is_log_dirty) VALUES (0);

-- Evaluations of whole sessions, whose span_id is longer than that of a span, may quote any of their traces.
CREATE INDEX evaluations_of_sessions ON evaluations (project_number, session_id)
  WHERE session_id IS NOT NULL AND length(span_id) > 8;
