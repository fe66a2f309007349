/**
 * Encrypts short secrets that have to be used again. The context is not stored with what is sealed: only a caller that names the
 * same one can open it, so that a secret moved to another owner's row is of no use there.
 */
export interface Sealer {
  /** Different every time, also for the same text. */
  seal(text: string, context: string): string
  /** Throws when the key or the context is another one, or when anything was changed. */
  open(sealed: string, context: string): string
}
