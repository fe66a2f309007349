/** The states of a row of work, as the schema numbers them. Below `done` a row is open. */
export const WORK_STATE = { ready: 0, leased: 1, done: 2, cancelled: 3 } as const

/** The condition that work is open and of the job whose number follows; in the words that its index understands. */
export const OPEN_WORK_OF_JOB = 'state < 2 AND is_judged IN (0, 1) AND job_number'
