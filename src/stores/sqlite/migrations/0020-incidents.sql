-- Falls of the pass rate of an application that are more than chance. `state` is open, recovered, ended or dismissed
-- (domain/incidents/incident.ts). `changes` is JSON: what differed after the onset, as shares of a sample.
CREATE TABLE incidents (
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  id              TEXT    NOT NULL UNIQUE,
  project_number  INTEGER NOT NULL,
  -- By name, so that an incident outlives the list of applications. Null where it is not known.
  application     TEXT,
  state           TEXT    NOT NULL,
  onset_ms        INTEGER NOT NULL,
  changes         TEXT    NOT NULL,
  opened_at_ms    INTEGER NOT NULL,
  updated_at_ms   INTEGER NOT NULL,
  closed_at_ms    INTEGER
) STRICT;
CREATE INDEX incidents_by_project ON incidents (project_number, number);
CREATE INDEX incidents_open ON incidents (project_number, number) WHERE state = 'open';
CREATE INDEX incidents_closed ON incidents (project_number, closed_at_ms) WHERE closed_at_ms IS NOT NULL;

-- The monitors of an incident with their counts before and after the onset, each of one version and judged by one rule.
CREATE TABLE incident_monitors (
  incident_number  INTEGER NOT NULL,
  monitor_id       TEXT    NOT NULL,
  version          INTEGER NOT NULL,
  project_number   INTEGER NOT NULL,
  rule_hash        TEXT    NOT NULL,
  onset_ms         INTEGER NOT NULL,
  before_pass      INTEGER NOT NULL,
  before_fail      INTEGER NOT NULL,
  after_pass       INTEGER NOT NULL,
  after_fail       INTEGER NOT NULL,
  false_chance     REAL    NOT NULL,
  state            TEXT    NOT NULL,
  closed_at_ms     INTEGER,
  PRIMARY KEY (incident_number, monitor_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_monitors_by_project ON incident_monitors (project_number);

-- What happened to an incident, and who did it where a person did.
CREATE TABLE incident_events (
  number           INTEGER PRIMARY KEY AUTOINCREMENT,
  incident_number  INTEGER NOT NULL,
  project_number   INTEGER NOT NULL,
  kind             TEXT    NOT NULL,
  at_ms            INTEGER NOT NULL,
  monitor_id       TEXT,
  actor            TEXT,
  reason           TEXT
) STRICT;
CREATE INDEX incident_events_by_incident ON incident_events (incident_number, number);
CREATE INDEX incident_events_by_project ON incident_events (project_number);

-- A few failed evaluations since the onset. They go with their trace.
CREATE TABLE incident_examples (
  incident_number    INTEGER NOT NULL,
  evaluation_number  INTEGER NOT NULL,
  project_number     INTEGER NOT NULL,
  trace_id           BLOB    NOT NULL,
  PRIMARY KEY (incident_number, evaluation_number)
) STRICT, WITHOUT ROWID;
CREATE INDEX incident_examples_by_trace ON incident_examples (project_number, trace_id);

-- The last look for incidents in a project: when, and the newest evaluation then.
CREATE TABLE incident_looks (
  project_number   INTEGER PRIMARY KEY,
  looked_at_ms     INTEGER NOT NULL,
  looked_through   INTEGER NOT NULL
) STRICT;
