import type { Definition } from './setup-definition.ts'

/** Where a message of the service belongs in the form. */
export type Place =
  | { readonly kind: 'name' | 'entity' | 'evaluators' | 'whole' }
  | { readonly kind: 'rule'; readonly at: number; readonly field?: string }
  | { readonly kind: 'evaluator'; readonly slug: string; readonly part?: string }

/** A message of the service about a setup, and the part that it is about. */
export interface Fault {
  readonly place: Place
  readonly message: string
}

/** Finds the part that a message names: `selector[1]: value is required`, `evaluator_configs[0].config.threshold must be ...`. */
export function placeFault(text: string, sent: Pick<Definition, 'evaluators' | 'evaluator_configs'>): Fault {
  const message = text.replace(/^invalid input: /, '')
  const place = placeOf(message, sent)
  return { place, message: place.kind === 'whole' ? message : withoutPlace(message) }
}

// Where it stands in the list is seen in the form.
function withoutPlace(message: string): string {
  return message.replace(/^(selector|evaluators|evaluator_configs)\[\d+\](\.(config|mapping)\b)?[:.]? ?/, '')
}

function placeOf(message: string, sent: Pick<Definition, 'evaluators' | 'evaluator_configs'>): Place {
  const rule = /^selector\[(\d+)\](?:: (\w+))?/.exec(message)
  if (rule) return { kind: 'rule', at: Number(rule[1]), ...(rule[2] ? { field: rule[2] } : {}) }
  const override = /^evaluator_configs\[(\d+)\](?:\.([\w.]+))?/.exec(message)
  const overridden = override && sent.evaluator_configs[Number(override[1])]
  if (overridden)
    return { kind: 'evaluator', slug: overridden.slug, ...(override[2] ? { part: override[2] } : {}) }
  const listed = /^evaluators\[(\d+)\]/.exec(message)
  const slug = listed && sent.evaluators[Number(listed[1])]
  if (slug) return { kind: 'evaluator', slug }
  if (message.startsWith('evaluators')) return { kind: 'evaluators' }
  if (message.startsWith('external_id')) return { kind: 'name' }
  if (message.startsWith('entity_')) return { kind: 'entity' }
  return { kind: 'whole' }
}

/** A fault with its place in words, where the place itself is not seen. */
export function faultWords({ place, message }: Fault): string {
  if (place.kind === 'rule') return `Rule ${place.at + 1}: ${message}`
  return place.kind === 'evaluator' ? `${place.slug}: ${message}` : message
}
