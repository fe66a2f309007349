/** How long an execution is kept, with or without an outcome; clients fetch it within two minutes. */
export const EXECUTION_MS_MAX = 3_600_000
