-- What batches say about traces, sessions and the use of models. It is worked out after a batch was stored, batch by batch
-- in their order, so that receiving spans does not wait for it: `through` is the last batch that was summed up.
CREATE TABLE digest_progress (through INTEGER NOT NULL) STRICT;
INSERT INTO digest_progress (through) VALUES (0);

-- Spans of a batch that an earlier one had brought already, as a bitmap; null where there are none.
ALTER TABLE span_batches ADD COLUMN repeated BLOB;

CREATE TABLE traces (
  project_number     INTEGER NOT NULL,
  trace_id           BLOB    NOT NULL,
  env_project_id     TEXT    NOT NULL,
  first_ms           INTEGER NOT NULL,
  last_ms            INTEGER NOT NULL,
  -- When its newest span arrived.
  arrived_at_ms      INTEGER NOT NULL,
  span_count         INTEGER NOT NULL,
  error_count        INTEGER NOT NULL,
  root_name          TEXT,
  service            TEXT,
  model              TEXT,
  session_id         TEXT,
  model_calls        INTEGER NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  completion_tokens  INTEGER NOT NULL,
  is_complete        INTEGER NOT NULL,
  PRIMARY KEY (project_number, trace_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX traces_by_time ON traces (project_number, first_ms, trace_id);
CREATE INDEX traces_by_session ON traces (project_number, session_id, first_ms) WHERE session_id IS NOT NULL;

-- Where the spans of a trace lie; `units` is a bitmap over the spans of the batch.
CREATE TABLE trace_places (
  project_number  INTEGER NOT NULL,
  trace_id        BLOB    NOT NULL,
  batch_id        INTEGER NOT NULL,
  units           BLOB    NOT NULL,
  PRIMARY KEY (project_number, trace_id, batch_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX trace_places_by_batch ON trace_places (batch_id);

-- Calls of models by the monitored applications. `durations` is a mergeable histogram of milliseconds.
CREATE TABLE usage_rollups (
  project_number     INTEGER NOT NULL,
  minute             INTEGER NOT NULL,
  env_project_id     TEXT    NOT NULL,
  service            TEXT    NOT NULL,
  model              TEXT    NOT NULL,
  calls              INTEGER NOT NULL,
  errors             INTEGER NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  completion_tokens  INTEGER NOT NULL,
  durations          BLOB    NOT NULL,
  PRIMARY KEY (project_number, minute, env_project_id, service, model)
) STRICT, WITHOUT ROWID;

-- How long services pause between two spans of one trace; see domain/quiet-time.ts.
CREATE TABLE service_pauses (
  project_number  INTEGER NOT NULL,
  service         TEXT    NOT NULL,
  longest_ms      REAL    NOT NULL,
  PRIMARY KEY (project_number, service)
) STRICT, WITHOUT ROWID;

-- Monitors that look at whole traces or sessions have no work by batch: what they have to evaluate are units.
ALTER TABLE monitors ADD COLUMN is_gathered INTEGER NOT NULL DEFAULT 0;

-- A trace, or a session, that a monitor version has to evaluate as a whole. States: 0 open, 1 leased, 2 done. A span that
-- comes later opens it again. `unit_key` is the trace id, or the bytes of the session id.
CREATE TABLE units (
  monitor_version  INTEGER NOT NULL,
  scope            TEXT    NOT NULL,
  unit_key         BLOB    NOT NULL,
  project_number   INTEGER NOT NULL,
  env_project_id   TEXT    NOT NULL,
  state            INTEGER NOT NULL DEFAULT 0,
  -- When its newest span arrived, and when it should be looked at.
  changed_at_ms    INTEGER NOT NULL,
  look_at_ms       INTEGER NOT NULL,
  -- When it was opened, for a wait that does not last for ever.
  opened_at_ms     INTEGER NOT NULL,
  attempts         INTEGER NOT NULL DEFAULT 0,
  lease            INTEGER,
  lease_until_ms   INTEGER,
  generation       INTEGER NOT NULL DEFAULT 0,
  -- The current evaluation; null before the first.
  evaluation       INTEGER,
  PRIMARY KEY (monitor_version, scope, unit_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX units_due ON units (look_at_ms) WHERE state < 2;
CREATE INDEX units_by_key ON units (project_number, unit_key);
