-- Rollups of whole hours (level 60) and days (level 1440), so that a long chart reads few rows. They are folded from the minutes in
-- the background: hours before `hours_through` and days before `days_through` (minutes since 1970) are folded, except for those in
-- `stale_folds`, whose minutes have changed since. A reader takes the minutes of such a period instead.
CREATE TABLE status_folds (
  monitor_version  INTEGER NOT NULL,
  level            INTEGER NOT NULL,
  minute           INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  units            INTEGER NOT NULL,
  PRIMARY KEY (monitor_version, level, minute, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE value_folds (
  monitor_version  INTEGER NOT NULL,
  level            INTEGER NOT NULL,
  minute           INTEGER NOT NULL,
  property         TEXT    NOT NULL,
  count            INTEGER NOT NULL,
  sum              REAL    NOT NULL,
  min              REAL,
  max              REAL,
  sketch           BLOB,
  labels           TEXT,
  PRIMARY KEY (monitor_version, level, minute, property)
) STRICT, WITHOUT ROWID;

CREATE TABLE fold_progress (
  monitor_version  INTEGER PRIMARY KEY,
  hours_through    INTEGER NOT NULL,
  days_through     INTEGER NOT NULL
) STRICT;

CREATE TABLE stale_folds (
  level            INTEGER NOT NULL,
  monitor_version  INTEGER NOT NULL,
  minute           INTEGER NOT NULL,
  PRIMARY KEY (level, monitor_version, minute)
) STRICT, WITHOUT ROWID;

-- Triggers mark what has changed, so that no way of counting a unit can forget it. Mostly the hour is not folded yet.
CREATE TRIGGER status_rollups_added AFTER INSERT ON status_rollups
WHEN new.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = new.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, new.monitor_version, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, new.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = new.monitor_version AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER status_rollups_changed AFTER UPDATE ON status_rollups
WHEN new.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = new.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, new.monitor_version, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, new.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = new.monitor_version AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER status_rollups_dropped AFTER DELETE ON status_rollups
WHEN old.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = old.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, old.monitor_version, old.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, old.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = old.monitor_version AND old.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER value_rollups_added AFTER INSERT ON value_rollups
WHEN new.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = new.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, new.monitor_version, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, new.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = new.monitor_version AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER value_rollups_changed AFTER UPDATE ON value_rollups
WHEN new.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = new.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, new.monitor_version, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, new.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = new.monitor_version AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER value_rollups_dropped AFTER DELETE ON value_rollups
WHEN old.minute < (SELECT hours_through FROM fold_progress WHERE monitor_version = old.monitor_version) BEGIN
  INSERT INTO stale_folds (level, monitor_version, minute)
    SELECT 60, old.monitor_version, old.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.monitor_version, old.minute / 1440 * 1440 FROM fold_progress p
      WHERE p.monitor_version = old.monitor_version AND old.minute < p.days_through ON CONFLICT DO NOTHING;
END;

-- The same for the use of models, by project.
CREATE TABLE usage_folds (
  project_number     INTEGER NOT NULL,
  level              INTEGER NOT NULL,
  minute             INTEGER NOT NULL,
  env_project_id     TEXT    NOT NULL,
  service            TEXT    NOT NULL,
  model              TEXT    NOT NULL,
  calls              INTEGER NOT NULL,
  errors             INTEGER NOT NULL,
  counted_calls      INTEGER NOT NULL,
  prompt_tokens      INTEGER NOT NULL,
  completion_tokens  INTEGER NOT NULL,
  durations          BLOB    NOT NULL,
  PRIMARY KEY (project_number, level, minute, env_project_id, service, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_fold_progress (
  project_number  INTEGER PRIMARY KEY,
  hours_through   INTEGER NOT NULL,
  days_through    INTEGER NOT NULL
) STRICT;

CREATE TABLE stale_usage_folds (
  level           INTEGER NOT NULL,
  project_number  INTEGER NOT NULL,
  minute          INTEGER NOT NULL,
  PRIMARY KEY (level, project_number, minute)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER usage_rollups_added AFTER INSERT ON usage_rollups
WHEN new.minute < (SELECT hours_through FROM usage_fold_progress WHERE project_number = new.project_number) BEGIN
  INSERT INTO stale_usage_folds (level, project_number, minute)
    SELECT 60, new.project_number, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.project_number, new.minute / 1440 * 1440 FROM usage_fold_progress p
      WHERE p.project_number = new.project_number AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER usage_rollups_changed AFTER UPDATE ON usage_rollups
WHEN new.minute < (SELECT hours_through FROM usage_fold_progress WHERE project_number = new.project_number) BEGIN
  INSERT INTO stale_usage_folds (level, project_number, minute)
    SELECT 60, new.project_number, new.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.project_number, new.minute / 1440 * 1440 FROM usage_fold_progress p
      WHERE p.project_number = new.project_number AND new.minute < p.days_through ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER usage_rollups_dropped AFTER DELETE ON usage_rollups
WHEN old.minute < (SELECT hours_through FROM usage_fold_progress WHERE project_number = old.project_number) BEGIN
  INSERT INTO stale_usage_folds (level, project_number, minute)
    SELECT 60, old.project_number, old.minute / 60 * 60 WHERE true
    UNION ALL SELECT 1440, p.project_number, old.minute / 1440 * 1440 FROM usage_fold_progress p
      WHERE p.project_number = old.project_number AND old.minute < p.days_through ON CONFLICT DO NOTHING;
END;
