-- What the service keeps about itself and about no tenant: the clock it trusts. A probe of the disk passes through here too.
CREATE TABLE service_state (
  name   TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
