-- Spans as they came in, what was decided about them, what is to be done, and what came of it. Rows that are written for
-- every span name their project, setup version and monitor version by small numbers instead of by text.

ALTER TABLE projects ADD COLUMN number INTEGER;
UPDATE projects SET number = rowid;
CREATE UNIQUE INDEX projects_by_number ON projects (number);

ALTER TABLE setup_versions ADD COLUMN number INTEGER;
CREATE TEMP TABLE numbered AS
  SELECT setup_id, version, row_number() OVER (ORDER BY setup_id, version) AS number FROM setup_versions;
UPDATE setup_versions SET number = numbered.number FROM numbered
  WHERE numbered.setup_id = setup_versions.setup_id AND numbered.version = setup_versions.version;
DROP TABLE numbered;
CREATE UNIQUE INDEX setup_versions_by_number ON setup_versions (number);
-- Which versions began or ended after a revision; the matcher follows a project's changes with it.
ALTER TABLE setup_versions ADD COLUMN project_number INTEGER;
UPDATE setup_versions SET project_number = (
  SELECT p.number FROM setups s JOIN projects p ON p.id = s.project_id WHERE s.id = setup_versions.setup_id);
CREATE INDEX setup_versions_by_begin ON setup_versions (project_number, revision_from);
CREATE INDEX setup_versions_by_end ON setup_versions (project_number, revision_to) WHERE revision_to IS NOT NULL;

-- Processing: who holds a setup until when. While some entry has no monitor, `first_match` is the first batch that this
-- version matched, `looked_through` the last one whose spans were looked at, and `has_news` says that there are later ones.
ALTER TABLE setups ADD COLUMN lease INTEGER;
ALTER TABLE setups ADD COLUMN lease_until_ms INTEGER;
ALTER TABLE setups ADD COLUMN first_match INTEGER;
ALTER TABLE setups ADD COLUMN looked_through INTEGER NOT NULL DEFAULT 0;
ALTER TABLE setups ADD COLUMN has_news INTEGER NOT NULL DEFAULT 0;
-- False when no span can change anything: every failed entry needs a PUT or an upgrade.
ALTER TABLE setups ADD COLUMN can_heal INTEGER NOT NULL DEFAULT 1;
CREATE INDEX setups_to_process ON setups (status) WHERE deleted_at_ms IS NULL AND status IN ('pending', 'in_progress');
CREATE INDEX setups_with_news ON setups (id) WHERE has_news = 1;

-- One request each, in order of arrival. `bytes` is zstd; `known_faults` is JSON, null when no span has to be left out.
CREATE TABLE span_batches (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  project_number  INTEGER NOT NULL,
  env_project_id  TEXT    NOT NULL,
  revision        INTEGER NOT NULL,
  received_at_ms  INTEGER NOT NULL,
  span_count      INTEGER NOT NULL,
  byte_length     INTEGER NOT NULL,
  known_faults    TEXT,
  bytes           BLOB    NOT NULL
) STRICT;

CREATE INDEX span_batches_by_project ON span_batches (project_number, received_at_ms);

-- Time first: ids are random, and rows of now must lie on few pages (docs/decisions/0007).
CREATE TABLE spans (
  project_number  INTEGER NOT NULL,
  second          INTEGER NOT NULL,
  trace_id        BLOB    NOT NULL,
  span_id         BLOB    NOT NULL,
  batch_id        INTEGER NOT NULL,
  ordinal         INTEGER NOT NULL,
  PRIMARY KEY (project_number, second, trace_id, span_id)
) STRICT, WITHOUT ROWID;

-- Which spans of a batch a setup version matched; `units` is a bitmap over the batch's spans.
CREATE TABLE matches (
  batch_id       INTEGER NOT NULL,
  setup_version  INTEGER NOT NULL,
  units          BLOB    NOT NULL,
  PRIMARY KEY (batch_id, setup_version)
) STRICT, WITHOUT ROWID;

-- One evaluator of one setup. `version_number` and `setup_version` say what it does now, `is_active` whether it does.
CREATE TABLE monitors (
  number          INTEGER PRIMARY KEY,
  id              TEXT    NOT NULL UNIQUE,
  project_number  INTEGER NOT NULL,
  setup_id        TEXT    NOT NULL REFERENCES setups (id),
  slug            TEXT    NOT NULL,
  evaluator_id    TEXT    NOT NULL,
  setup_version   INTEGER NOT NULL,
  version_number  INTEGER NOT NULL,
  is_active       INTEGER NOT NULL,
  -- Matches that came before the monitor get their work in slices: the next batch to look at and the last.
  fill_next       INTEGER NOT NULL,
  fill_last       INTEGER NOT NULL,
  created_at_ms   INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL,
  UNIQUE (setup_id, slug)
) STRICT;

CREATE INDEX monitors_by_project ON monitors (project_number, number);
CREATE INDEX monitors_by_setup_version ON monitors (setup_version) WHERE is_active = 1;
CREATE INDEX monitors_by_version ON monitors (version_number);
CREATE INDEX monitors_to_fill ON monitors (number) WHERE fill_next <= fill_last;

-- Immutable. `hash` is over everything that decides a score.
CREATE TABLE monitor_versions (
  number             INTEGER PRIMARY KEY,
  monitor_number     INTEGER NOT NULL REFERENCES monitors (number),
  version            INTEGER NOT NULL,
  hash               TEXT    NOT NULL,
  evaluator_version  INTEGER NOT NULL,
  scope              TEXT    NOT NULL,
  config             TEXT    NOT NULL,
  mapping            TEXT    NOT NULL,
  sampling_rate      REAL    NOT NULL,
  created_at_ms      INTEGER NOT NULL,
  UNIQUE (monitor_number, hash)
) STRICT;

-- What is to be evaluated: the spans of one batch for one monitor version. States: 0 ready, 1 leased, 2 done, 3 cancelled.
CREATE TABLE work (
  batch_id         INTEGER NOT NULL,
  monitor_version  INTEGER NOT NULL,
  units            BLOB    NOT NULL,
  unit_count       INTEGER NOT NULL,
  state            INTEGER NOT NULL DEFAULT 0,
  attempts         INTEGER NOT NULL DEFAULT 0,
  ready_at_ms      INTEGER NOT NULL DEFAULT 0,
  lease            INTEGER,
  lease_until_ms   INTEGER,
  PRIMARY KEY (batch_id, monitor_version)
) STRICT, WITHOUT ROWID;

-- The number of the last lease that was given out.
CREATE TABLE leases (last INTEGER NOT NULL) STRICT;
INSERT INTO leases (last) VALUES (0);

CREATE INDEX work_open ON work (batch_id, monitor_version) WHERE state < 2;

-- One row per evaluated unit. `number` is the order of recording and, in hex, the public id. The unit is a span, or a
-- trace with an empty span_id.
CREATE TABLE evaluations (
  number           INTEGER PRIMARY KEY AUTOINCREMENT,
  project_number   INTEGER NOT NULL,
  monitor_version  INTEGER NOT NULL,
  trace_id         BLOB    NOT NULL,
  span_id          BLOB    NOT NULL,
  generation       INTEGER NOT NULL DEFAULT 1,
  is_current       INTEGER NOT NULL DEFAULT 1,
  status           TEXT    NOT NULL,
  -- The first numeric or boolean output, for filters by value; null where there is none.
  value            REAL,
  output           TEXT,
  error_message    TEXT,
  session_id       TEXT,
  batch_id         INTEGER NOT NULL,
  ordinal          INTEGER NOT NULL,
  unit_at_ms       INTEGER NOT NULL,
  duration_us      INTEGER NOT NULL,
  created_at_ms    INTEGER NOT NULL,
  UNIQUE (monitor_version, trace_id, span_id, generation)
) STRICT;

CREATE INDEX evaluations_by_project ON evaluations (project_number, number);
CREATE INDEX evaluations_by_monitor ON evaluations (monitor_version, number);

-- For charts and counts, by minute of the unit's start (of arrival for units that were never read).
CREATE TABLE status_rollups (
  monitor_version  INTEGER NOT NULL,
  minute           INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  units            INTEGER NOT NULL,
  PRIMARY KEY (monitor_version, minute, status)
) STRICT, WITHOUT ROWID;

-- `property` is a field of the output. `sketch` is a mergeable histogram of numbers (booleans count as 0 and 1); for texts
-- it is null and `labels` counts them.
CREATE TABLE value_rollups (
  monitor_version  INTEGER NOT NULL,
  minute           INTEGER NOT NULL,
  property         TEXT    NOT NULL,
  count            INTEGER NOT NULL,
  sum              REAL    NOT NULL,
  min              REAL,
  max              REAL,
  sketch           BLOB,
  labels           TEXT,
  PRIMARY KEY (monitor_version, minute, property)
) STRICT, WITHOUT ROWID;
