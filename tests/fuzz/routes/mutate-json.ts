import type { Random } from '../../otlp/random-traces.ts'
import { HOSTILE_TEXTS, hostileValue } from '../hostile-values.ts'

type Container = Record<string, unknown> | unknown[]

/** The same JSON value with one place changed: another type, a hostile value, something missing, extra or repeated. */
export function mutatedValue(random: Random, value: unknown): unknown {
  const copy = structuredClone(value)
  const places = containersOf(copy)
  if (places.length === 0 || random.chance(30)) return hostileValue(random)
  const container = random.pick(places)
  if (Array.isArray(container)) mutateList(random, container)
  else mutateObject(random, container)
  return copy
}

function mutateList(random: Random, list: unknown[]): void {
  const at = random.below(list.length + 1)
  const choice = random.below(4)
  if (choice === 0) list.splice(at, 1)
  else if (choice === 1) list.splice(at, 0, hostileValue(random))
  else if (choice === 2) list[at] = hostileValue(random)
  else for (let times = 0; times < 300; times++) list.push(list[at % (list.length || 1)] ?? null)
}

function mutateObject(random: Random, object: Record<string, unknown>): void {
  const names = Object.keys(object)
  const name = names.length > 0 ? random.pick(names) : 'x'
  const choice = random.below(6)
  if (choice === 0) delete object[name]
  else if (choice === 1) define(object, random.pick(HOSTILE_TEXTS), hostileValue(random))
  else if (choice === 2) object[name] = [object[name]]
  else if (choice === 3) object[name] = JSON.stringify(object[name])
  else object[name] = hostileValue(random)
}

/** Also defines `__proto__` as a property of its own, as JSON.parse does. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

function containersOf(value: unknown, found: Container[] = []): Container[] {
  if (typeof value !== 'object' || value === null) return found
  found.push(value as Container)
  // A hostile value is never mutated again, so that nothing here is deep.
  for (const child of Object.values(value)) containersOf(child, found)
  return found
}

const TEXT_MUTATIONS: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => text.slice(0, random.below(text.length + 1)),
  (_random, text) => `${text}${text}`,
  (_random, text) => `${text} trailing`,
  (_random, text) => `\ufeff${text}`,
  (_random, text) => text.replace('{', '{"external_id":1,"external_id":"two","name":null,'),
  (_random, text) => text.replace(/[}\]]$/, (end) => `,${end}`),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':NaN'),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':-Infinity'),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':1e999'),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, `:${'9'.repeat(4_000)}`),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':007'),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':"\\ud800\\udc"'),
  (_random, text) => text.replace(/:\s*[^,{}[\]]+/, ':"raw\ttab\u0000"'),
  (_random, text) => text.replace('{', '{"__proto__":{"isAdmin":true},'),
  (_random, text) => text.replaceAll('"', "'"),
  (_random, text) => `/* comment */ ${text}`,
  (random) => '['.repeat(random.pick([10, 1_000, 100_000])),
  (random) => '{"a":'.repeat(random.pick([10, 1_000, 50_000])),
  () => '',
  () => 'null',
  () => '[]',
  () => '"text"',
]

/** JSON text, damaged in a way that no value can express; sometimes at the level of bytes. */
export function mutatedText(random: Random, text: string): Buffer {
  if (random.chance(4)) {
    const bytes = Buffer.from(text)
    for (let flips = 1 + random.below(4); flips > 0 && bytes.length > 0; flips--)
      bytes[random.below(bytes.length)] = random.below(256)
    return bytes
  }
  return Buffer.from(random.pick(TEXT_MUTATIONS)(random, text))
}
