-- Applications: the services, or the workflows, that units belong to. Evaluations name them by number. In `evaluations.application`
-- 0 stands for a unit that names none, and null for an evaluation from before this migration.
CREATE TABLE applications (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  project_number  INTEGER NOT NULL,
  name            TEXT    NOT NULL,
  -- By the start of units, never later than they were recorded; the latter is exact to a minute.
  first_seen_ms   INTEGER NOT NULL,
  last_seen_ms    INTEGER NOT NULL,
  UNIQUE (project_number, name)
) STRICT;

ALTER TABLE evaluations ADD COLUMN application INTEGER;
-- Failures are few among many and looked for first.
CREATE INDEX evaluations_failed_by_application ON evaluations (application, number)
  WHERE verdict = 0 AND is_current = 1 AND application > 0;

-- Verdicts by the hour of the unit's start. Only evaluations that have an application, or are known to have none (0), count.
CREATE TABLE application_rollups (
  monitor_version  INTEGER NOT NULL,
  hour             INTEGER NOT NULL,
  application      INTEGER NOT NULL,
  passed           INTEGER NOT NULL,
  failed           INTEGER NOT NULL,
  neutral          INTEGER NOT NULL,
  not_scored       INTEGER NOT NULL,
  PRIMARY KEY (monitor_version, hour, application)
) STRICT, WITHOUT ROWID;

-- Versions of applications, as resources name them, by the start of the spans that came from them.
CREATE TABLE deployments (
  project_number  INTEGER NOT NULL,
  env_project_id  TEXT    NOT NULL,
  application     TEXT    NOT NULL,
  version         TEXT    NOT NULL,
  first_seen_ms   INTEGER NOT NULL,
  last_seen_ms    INTEGER NOT NULL,
  PRIMARY KEY (project_number, env_project_id, application, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX deployments_by_time ON deployments (project_number, first_seen_ms);
