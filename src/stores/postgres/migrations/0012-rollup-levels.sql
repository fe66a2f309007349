-- Rollups of whole hours (level 60) and days (level 1440), so that a long chart reads few rows. They are folded from the minutes in
-- the background: hours before `hours_through` and days before `days_through` (minutes since 1970) are folded, except for those in
-- `stale_folds`, whose minutes have changed since. A reader takes the minutes of such a period instead.
CREATE TABLE status_folds (
  monitor_version  BIGINT           NOT NULL,
  level            BIGINT           NOT NULL,
  minute           BIGINT           NOT NULL,
  status           TEXT COLLATE "C" NOT NULL,
  units            BIGINT           NOT NULL,
  PRIMARY KEY (monitor_version, level, minute, status)
);

CREATE TABLE value_folds (
  monitor_version  BIGINT           NOT NULL,
  level            BIGINT           NOT NULL,
  minute           BIGINT           NOT NULL,
  property         TEXT COLLATE "C" NOT NULL,
  count            BIGINT           NOT NULL,
  sum              DOUBLE PRECISION NOT NULL,
  min              DOUBLE PRECISION,
  max              DOUBLE PRECISION,
  sketch           BYTEA,
  labels           TEXT COLLATE "C",
  PRIMARY KEY (monitor_version, level, minute, property)
);

CREATE TABLE fold_progress (
  monitor_version  BIGINT PRIMARY KEY,
  hours_through    BIGINT NOT NULL,
  days_through     BIGINT NOT NULL
);

CREATE TABLE stale_folds (
  level            BIGINT NOT NULL,
  monitor_version  BIGINT NOT NULL,
  minute           BIGINT NOT NULL,
  PRIMARY KEY (level, monitor_version, minute)
);

-- Triggers mark what has changed, so that no way of counting a unit can forget it, not even a process of an earlier version. Mostly
-- the hour is not folded yet.
CREATE FUNCTION mark_stale_folds() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT DISTINCT l.level, c.monitor_version, c.minute / l.level * l.level
    FROM changed c JOIN fold_progress p ON p.monitor_version = c.monitor_version
    CROSS JOIN (VALUES (60::bigint), (1440::bigint)) AS l (level)
    WHERE c.minute < CASE l.level WHEN 60 THEN p.hours_through ELSE p.days_through END
    ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER status_rollups_added AFTER INSERT ON status_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();
CREATE TRIGGER status_rollups_changed AFTER UPDATE ON status_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();
CREATE TRIGGER status_rollups_dropped AFTER DELETE ON status_rollups
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();
CREATE TRIGGER value_rollups_added AFTER INSERT ON value_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();
CREATE TRIGGER value_rollups_changed AFTER UPDATE ON value_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();
CREATE TRIGGER value_rollups_dropped AFTER DELETE ON value_rollups
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_folds();

-- The same for the use of models, by project.
CREATE TABLE usage_folds (
  project_number     BIGINT           NOT NULL,
  level              BIGINT           NOT NULL,
  minute             BIGINT           NOT NULL,
  env_project_id     TEXT COLLATE "C" NOT NULL,
  service            TEXT COLLATE "C" NOT NULL,
  model              TEXT COLLATE "C" NOT NULL,
  calls              BIGINT           NOT NULL,
  errors             BIGINT           NOT NULL,
  counted_calls      BIGINT           NOT NULL,
  prompt_tokens      BIGINT           NOT NULL,
  completion_tokens  BIGINT           NOT NULL,
  durations          BYTEA            NOT NULL,
  PRIMARY KEY (project_number, level, minute, env_project_id, service, model)
);

CREATE TABLE usage_fold_progress (
  project_number  BIGINT PRIMARY KEY,
  hours_through   BIGINT NOT NULL,
  days_through    BIGINT NOT NULL
);

CREATE TABLE stale_usage_folds (
  level           BIGINT NOT NULL,
  project_number  BIGINT NOT NULL,
  minute          BIGINT NOT NULL,
  PRIMARY KEY (level, project_number, minute)
);

CREATE FUNCTION mark_stale_usage_folds() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_usage_folds (level, project_number, minute)
    SELECT DISTINCT l.level, c.project_number, c.minute / l.level * l.level
    FROM changed c JOIN usage_fold_progress p ON p.project_number = c.project_number
    CROSS JOIN (VALUES (60::bigint), (1440::bigint)) AS l (level)
    WHERE c.minute < CASE l.level WHEN 60 THEN p.hours_through ELSE p.days_through END
    ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_rollups_added AFTER INSERT ON usage_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_usage_folds();
CREATE TRIGGER usage_rollups_changed AFTER UPDATE ON usage_rollups
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_usage_folds();
CREATE TRIGGER usage_rollups_dropped AFTER DELETE ON usage_rollups
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_stale_usage_folds();
