/**
 * The time on the clock of the database, in a statement. Leases and due times are set and compared with it, because the clocks of
 * several processes do not agree. It is read once for a statement.
 */
export const NOW_MS = '(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)'

/** A number for a new lease, in a statement; no two are alike, whichever process takes them. */
export const NEXT_LEASE = "nextval('lease_numbers')"
