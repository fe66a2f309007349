import { PublicError } from '../../lib/public-error.ts'
import type { Sealer, Secrets } from '../../ports/sealer.ts'
import { createSealer } from './sealed-text.ts'
import { SECRETS_FILE, type SecretsFile } from './secrets-file.ts'

/** The places that may have a secrets key. */
export interface SecretsPlaces {
  /** Of `ASSAY_SECRETS_KEY`. */
  readonly setting?: Uint8Array
  /** Beside an embedded store; a database that several processes share has none. */
  readonly file?: SecretsFile
}

const NEEDS_SETTING =
  'provider keys cannot be stored: a service on PostgreSQL needs ASSAY_SECRETS_KEY, the output of openssl rand -base64 32, ' +
  'with the same value in every process'

/**
 * Seals with the setting, or else with the key in the file, which is made when it is first needed. Secrets that the file's key sealed
 * stay readable after the setting was given: both keys are tried, and neither can open by chance what the other sealed.
 */
export function createSecrets({ setting, file }: SecretsPlaces): Secrets {
  const bySetting = setting && createSealer(setting)
  let byFile: Sealer | undefined
  return {
    state() {
      if (bySetting) return { source: 'environment' }
      if (!file) return { problem: NEEDS_SETTING }
      const content = file.read()
      return { source: 'file', ...(content && 'problem' in content ? { problem: content.problem } : {}) }
    },
    seal(text, context) {
      if (bySetting) return bySetting.seal(text, context)
      if (!file) throw unavailable(NEEDS_SETTING)
      const content = file.readOrMake()
      if ('problem' in content) throw unavailable(content.problem)
      byFile = createSealer(content.key)
      return byFile.seal(text, context)
    },
    open(sealed, context) {
      const opened = bySetting && tryOpen(bySetting, sealed, context)
      if (opened !== undefined) return opened
      if (!byFile) {
        const content = file?.read()
        if (content && 'problem' in content) throw unavailable(content.problem)
        if (content) byFile = createSealer(content.key)
      }
      const found = byFile && tryOpen(byFile, sealed, context)
      if (found !== undefined) return found
      throw unavailable(whyNot(bySetting !== undefined, file !== undefined, byFile !== undefined))
    },
  }
}

function tryOpen(sealer: Sealer, sealed: string, context: string): string | undefined {
  try {
    return sealer.open(sealed, context)
  } catch {
    return undefined
  }
}

function whyNot(hasSetting: boolean, mayHaveFile: boolean, hasFile: boolean): string {
  if (hasSetting) return 'it was stored under another ASSAY_SECRETS_KEY; store it again'
  if (!mayHaveFile)
    return 'it was stored under an ASSAY_SECRETS_KEY that is not set; set it, or store the key again'
  if (hasFile)
    return (
      `it was stored under another secrets key than the one in the file ${SECRETS_FILE}: restore that file or set the former ` +
      'ASSAY_SECRETS_KEY, or store the key again'
    )
  return (
    `the file ${SECRETS_FILE} is not in the data directory: copy it there from where you keep it, set the former ` +
    'ASSAY_SECRETS_KEY, or store the key again'
  )
}

function unavailable(message: string): PublicError {
  return new PublicError('unavailable', message)
}
