-- The model that judges for an organization where the settings of the service name none.
CREATE TABLE default_judges (
  org_id         TEXT    PRIMARY KEY REFERENCES organizations (id),
  provider       TEXT    NOT NULL,
  model          TEXT    NOT NULL,
  updated_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
