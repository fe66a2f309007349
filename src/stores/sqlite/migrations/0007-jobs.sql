-- Jobs go over what is stored already: a backfill evaluates spans that came before a setup, a rerun evaluates units again.
-- `request` is JSON of what was asked for (domain/job.ts). What was looked at already lies before the place
-- (`place_ms`, `place_id`): a backfill goes back from the newest batch, a rerun goes forward by the number of evaluations.
CREATE TABLE jobs (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  project_number  INTEGER NOT NULL,
  kind            TEXT    NOT NULL,
  request         TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  -- The setup version that a backfill matches with; null for a rerun.
  setup_version   INTEGER,
  place_ms        INTEGER NOT NULL,
  place_id        INTEGER NOT NULL,
  -- The newest evaluation that there was at the beginning: a rerun does not run into its own results.
  last_id         INTEGER NOT NULL,
  -- Whether everything was looked at; what is queued may still have to be evaluated.
  is_listed       INTEGER NOT NULL DEFAULT 0,
  -- Grows with every step of any job, so that jobs take turns.
  last_turn       INTEGER NOT NULL DEFAULT 0,
  looked_at       INTEGER NOT NULL DEFAULT 0,
  matched         INTEGER NOT NULL DEFAULT 0,
  -- Matched and not evaluated yet, which is what the limit is about.
  taken           INTEGER NOT NULL DEFAULT 0,
  queued          INTEGER NOT NULL DEFAULT 0,
  evaluated       INTEGER NOT NULL DEFAULT 0,
  sampled_out     INTEGER NOT NULL DEFAULT 0,
  error_message   TEXT,
  created_at_ms   INTEGER NOT NULL,
  finished_at_ms  INTEGER
) STRICT;
CREATE INDEX jobs_by_project ON jobs (project_number, number);
CREATE INDEX jobs_active ON jobs (last_turn, number) WHERE state IN ('queued', 'running');

-- Decisions that a job has made name it; 0 for those that were made when the spans came.
ALTER TABLE matches ADD COLUMN job_number INTEGER NOT NULL DEFAULT 0;

-- The work of a job stands beside the work that came with the spans and waits until there is none of that. `is_rerun` says
-- that what comes of it takes the place of what came of the unit before.
CREATE TABLE work_of_jobs (
  batch_id         INTEGER NOT NULL,
  monitor_version  INTEGER NOT NULL,
  job_number       INTEGER NOT NULL DEFAULT 0,
  units            BLOB    NOT NULL,
  unit_count       INTEGER NOT NULL,
  state            INTEGER NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 0,
  ready_at_ms      INTEGER NOT NULL DEFAULT 0,
  lease            INTEGER,
  lease_until_ms   INTEGER,
  is_judged        INTEGER NOT NULL DEFAULT 0,
  is_rerun         INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (batch_id, monitor_version, job_number)
) STRICT, WITHOUT ROWID;
INSERT INTO work_of_jobs (batch_id, monitor_version, units, unit_count, state, attempts, ready_at_ms, lease,
                          lease_until_ms, is_judged)
  SELECT batch_id, monitor_version, units, unit_count, state, attempts, ready_at_ms, lease, lease_until_ms, is_judged
  FROM work;
DROP TABLE work;
ALTER TABLE work_of_jobs RENAME TO work;
CREATE INDEX work_open ON work (is_judged, job_number, batch_id, monitor_version) WHERE state < 2;

-- A trigger, so that no way of making work for a job can forget to count it.
CREATE TRIGGER jobs_queued AFTER INSERT ON work WHEN new.job_number > 0 BEGIN
  UPDATE jobs SET queued = queued + new.unit_count WHERE number = new.job_number;
END;
