import { isObject, type Read, readDefinition } from './read-definition.ts'
import { type Definition, definitionOf, isSame, type Setup } from './setup-definition.ts'

/** The effect of an import on one setup of the file. */
export interface PlannedItem {
  /** As the file says it: what it leaves out stays as it is stored. */
  readonly body: Record<string, unknown>
  readonly externalId: string
  readonly effect: 'create' | 'change' | 'same' | 'faulty'
  readonly fault?: string
}

/** The setups in a text in YAML or JSON: a list, one setup, or an object with `setups`. */
export async function readFile(text: string): Promise<Read<readonly unknown[]>> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    // Without aliases a small file cannot grow into a huge one.
    value = parse(text, { maxAliasCount: 0 })
  } catch (error) {
    return { fault: `This is neither YAML nor JSON: ${(error as Error).message}` }
  }
  const items = isObject(value) ? (value['setups'] ?? [value]) : value
  if (!Array.isArray(items) || items.length === 0) return { fault: 'The file contains no setups.' }
  return { value: items }
}

/** Compares what a file says with what is stored. */
export function planImport(items: readonly unknown[], stored: readonly Setup[]): PlannedItem[] {
  const existing = new Map(stored.map((setup) => [setup.external_id, definitionOf(setup)]))
  const firstAt = new Map<string, number>()
  return items.map((item, at) => {
    const read = readDefinition(item)
    const body = isObject(item) ? item : {}
    const externalId = typeof body['external_id'] === 'string' ? body['external_id'] : ''
    const fault = 'fault' in read ? read.fault : nameFault(externalId, firstAt, at)
    if (fault !== undefined || 'fault' in read)
      return { body, externalId, effect: 'faulty', fault: fault ?? '' }
    return { body, externalId, effect: effectOf(body, read.value, existing.get(externalId)) }
  })
}

function nameFault(externalId: string, firstAt: Map<string, number>, at: number): string | undefined {
  if (externalId === '') return 'external_id is required'
  const earlier = firstAt.get(externalId)
  firstAt.set(externalId, earlier ?? at)
  return earlier === undefined ? undefined : `Item ${earlier + 1} has the same external_id.`
}

function effectOf(
  body: Record<string, unknown>,
  wanted: Definition,
  stored: Definition | undefined,
): PlannedItem['effect'] {
  if (!stored) return 'create'
  return isSame(afterwards(body, wanted, stored), stored) ? 'same' : 'change'
}

/** The stored setup after the item: given fields replace, the rest stays. */
function afterwards(body: Record<string, unknown>, wanted: Definition, stored: Definition): Definition {
  const names = (
    ['entity_type', 'entity_value', 'selector', 'evaluators', 'evaluator_configs'] as const
  ).filter((name) => body[name] === undefined)
  const kept = Object.fromEntries(names.map((name) => [name, stored[name]]))
  const merged = { ...wanted, ...kept } as Definition
  if (body['evaluator_configs'] !== undefined) return merged
  // Overrides of evaluators that are no longer listed go with them.
  const left = merged.evaluator_configs.filter(({ slug }) => merged.evaluators.includes(slug))
  return { ...merged, evaluator_configs: left }
}

/** Which item of the file a message such as `setups[3]: external_id is required` is about: the service counts within a slice. */
export function nameItem(
  text: string,
  slice: readonly { readonly at: number }[],
): { readonly message: string; readonly faultAt?: number } {
  const message = text.replace(/^invalid input: /, '')
  const named = /^setups\[(\d+)\]:? ?(.*)$/s.exec(message)
  const faultAt = named ? slice[Number(named[1])]?.at : undefined
  if (!named || faultAt === undefined) return { message }
  return { message: `Item ${faultAt + 1}: ${named[2]}`, faultAt }
}
