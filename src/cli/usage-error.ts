/** The command line was called in a way that cannot be meant; the usage is shown with the message. */
export class UsageError extends Error {}
