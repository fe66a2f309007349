-- Judges: who judged, what it cost, what may be spent, what need not be asked again; and the evaluators of organizations.

-- The judge belongs to what decides a score; null where no judge is asked. `work.is_judged` repeats it for the queue,
-- because work that waits for providers is taken by another worker than work that needs only this machine.
ALTER TABLE monitor_versions ADD COLUMN judge TEXT;
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
CREATE TABLE custom_evaluator_versions (
  id             TEXT    PRIMARY KEY,
  evaluator_id   TEXT    NOT NULL REFERENCES custom_evaluators (id),
  version        INTEGER NOT NULL,
  definition     TEXT    NOT NULL,
  created_at_ms  INTEGER NOT NULL,
  UNIQUE (evaluator_id, version)
) STRICT;

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
