-- Work is claimed fairly by project. `project_number` only says whose turn the work waits for; rows of earlier versions have 0,
-- which is served as one project more: programs of the version before go on writing such rows while both run.
ALTER TABLE work ADD COLUMN project_number BIGINT NOT NULL DEFAULT 0;
CREATE INDEX work_live ON work (is_judged, project_number, batch_id, monitor_version) WHERE state < 2 AND job_number = 0;
CREATE INDEX work_of_jobs ON work (is_judged, project_number, job_number, batch_id, monitor_version)
  WHERE state < 2 AND job_number > 0;
CREATE INDEX units_due_by_project ON units (project_number, look_at_ms) WHERE state < 2;
