/**
 * Why a call gave no reply. `busy`: 408, 429, 5xx, a connection that broke; the same call may pass later. `rejected`: the
 * provider does not want this call (a bad key, an unknown model); it will not pass until the configuration changes.
 */
export class ModelFailure extends Error {
  readonly kind: 'busy' | 'rejected' | 'deadline'
  readonly retryAfterMs?: number

  constructor(kind: 'busy' | 'rejected' | 'deadline', message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'ModelFailure'
    this.kind = kind
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}
