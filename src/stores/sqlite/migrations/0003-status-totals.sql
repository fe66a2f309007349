-- How many units of a monitor version came to what, since its beginning. A list of monitors shows these counts, and adding
-- up the minutes of a year for each of them would take seconds. Triggers keep them, so that no way of counting a unit
-- can forget them, and they stay when old minutes are dropped.
CREATE TABLE status_totals (
  monitor_version  INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  units            INTEGER NOT NULL,
  PRIMARY KEY (monitor_version, status)
) STRICT, WITHOUT ROWID;

INSERT INTO status_totals (monitor_version, status, units)
  SELECT monitor_version, status, sum(units) FROM status_rollups GROUP BY monitor_version, status;

CREATE TRIGGER status_totals_begin AFTER INSERT ON status_rollups BEGIN
  INSERT INTO status_totals (monitor_version, status, units) VALUES (new.monitor_version, new.status, new.units)
    ON CONFLICT DO UPDATE SET units = units + excluded.units;
END;

CREATE TRIGGER status_totals_grow AFTER UPDATE OF units ON status_rollups BEGIN
  UPDATE status_totals SET units = units + new.units - old.units
    WHERE monitor_version = new.monitor_version AND status = new.status;
END;
