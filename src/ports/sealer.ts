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

/** The origin of the secrets key: the setting, or a file that the service made beside its database. */
export type SecretsSource = 'environment' | 'file'

/** Where the secrets key comes from. With a `problem`, nothing can be sealed until the operator has done what it says. */
export interface SecretsState {
  readonly source?: SecretsSource
  readonly problem?: string
}

/** The sealer of the service. Its errors are public: they say what the operator has to do and contain no key. */
export interface Secrets extends Sealer {
  /** Looks again each time, so that a repaired file counts without a restart. */
  state(): SecretsState
}
