-- What people and other programs say about traces, spans and sessions. `number` is the order of arrival and, in hex, the
-- public id. About a trace when there is a trace id (about one of its spans when there is a span id too), otherwise about
-- whatever the application calls by `session_id`.
CREATE TABLE scores (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  project_number  INTEGER NOT NULL,
  env_project_id  TEXT    NOT NULL,
  trace_id        BLOB,
  span_id         BLOB,
  session_id      TEXT,
  name            TEXT    NOT NULL,
  -- JSON: a number, a boolean, a text or a list of texts.
  value           TEXT    NOT NULL,
  comment         TEXT,
  source          TEXT    NOT NULL,
  -- The slug of the evaluator whose verdict it can be held against.
  evaluator       TEXT,
  task            TEXT,
  actor           TEXT,
  created_at_ms   INTEGER NOT NULL,
  CHECK (trace_id IS NOT NULL OR (session_id IS NOT NULL AND span_id IS NULL))
) STRICT;
CREATE INDEX scores_by_project ON scores (project_number, number);
CREATE INDEX scores_by_trace ON scores (project_number, trace_id, number) WHERE trace_id IS NOT NULL;
CREATE INDEX scores_by_session ON scores (project_number, session_id, number) WHERE session_id IS NOT NULL;
CREATE INDEX scores_by_evaluator ON scores (project_number, evaluator, number) WHERE evaluator IS NOT NULL;

-- What each model was used for within a trace, as JSON, because tokens of two models have no price in common. Traces that
-- were summed up before have none, and then no cost either.
ALTER TABLE traces ADD COLUMN model_use TEXT NOT NULL DEFAULT '{}';
-- Calls that told their tokens; the others have a cost that nobody knows.
ALTER TABLE usage_rollups ADD COLUMN counted_calls INTEGER NOT NULL DEFAULT 0;
