-- Judges: who judged, what it cost, what may be spent, what need not be asked again; and the evaluators of organizations.

-- The judge belongs to what decides a score; null where no judge is asked. Work that waits for providers is taken by
-- another worker than work that needs only this machine: `is_judged` says which.
ALTER TABLE monitor_versions ADD COLUMN judge TEXT;
ALTER TABLE monitors ADD COLUMN is_judged INTEGER NOT NULL DEFAULT 0;
ALTER TABLE work ADD COLUMN is_judged INTEGER NOT NULL DEFAULT 0;
DROP INDEX work_open;
CREATE INDEX work_open ON work (is_judged, batch_id, monitor_version) WHERE state < 2;

-- JSON of what judging took (domain/judgement.ts); null where nobody was asked.
ALTER TABLE evaluations ADD COLUMN judgement TEXT;

-- Custom evaluators: what they are called, and immutable versions of what they do.
ALTER TABLE custom_evaluators ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE custom_evaluators ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE custom_evaluators ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE custom_evaluators ADD COLUMN updated_at_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE custom_evaluators DROP COLUMN input_schema;
ALTER TABLE custom_evaluators DROP COLUMN output_schema;
CREATE TABLE custom_evaluator_versions (
  id             TEXT    PRIMARY KEY,
  evaluator_id   TEXT    NOT NULL REFERENCES custom_evaluators (id),
  version        INTEGER NOT NULL,
  definition     TEXT    NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  UNIQUE (evaluator_id, version)
) STRICT;

-- Calls that were accepted to be run, so that a restart loses none; `outcome` is null until there is one that stays.
CREATE TABLE executions (
  id             TEXT    PRIMARY KEY,
  project_id     TEXT    NOT NULL REFERENCES projects (id),
  evaluator      TEXT    NOT NULL,
  call           TEXT    NOT NULL,
  outcome        TEXT,
  created_at_ms  INTEGER NOT NULL
) STRICT;
CREATE INDEX executions_by_age ON executions (created_at_ms);
CREATE INDEX executions_by_project ON executions (project_id);

CREATE TABLE provider_keys (
  org_id         TEXT    NOT NULL REFERENCES organizations (id),
  provider       TEXT    NOT NULL,
  base_url       TEXT,
  sealed         TEXT    NOT NULL,
  hint           TEXT    NOT NULL,
  updated_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (org_id, provider)
) STRICT, WITHOUT ROWID;

-- `setup_id` is empty for the project as a whole.
CREATE TABLE budgets (
  project_id     TEXT    NOT NULL REFERENCES projects (id),
  setup_id       TEXT    NOT NULL,
  day_micros     INTEGER,
  month_micros   INTEGER,
  updated_at_ms  INTEGER NOT NULL,
  PRIMARY KEY (project_id, setup_id)
) STRICT, WITHOUT ROWID;

-- Days are UTC, counted from 1970.
CREATE TABLE judge_spend (
  project_id         TEXT    NOT NULL,
  setup_id           TEXT    NOT NULL,
  day                INTEGER NOT NULL,
  model              TEXT    NOT NULL,
  calls              INTEGER NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  completion_tokens  INTEGER NOT NULL,
  cost_micros        INTEGER NOT NULL,
  unpriced_calls     INTEGER NOT NULL,
  PRIMARY KEY (project_id, setup_id, day, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE judge_cache (
  org_id             TEXT    NOT NULL,
  key                TEXT    NOT NULL,
  answer             TEXT    NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  completion_tokens  INTEGER NOT NULL,
  used_at_ms         INTEGER NOT NULL,
  PRIMARY KEY (org_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX judge_cache_by_use ON judge_cache (used_at_ms);
