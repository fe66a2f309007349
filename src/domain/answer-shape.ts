import { defined } from '../lib/defined.ts'
/**
 * The form of a model's answer: what a judge is asked to fill in, and what is accepted of it. Plain data, so that it can
 * travel between threads; the JSON schema that a provider is given and the check of what comes back are made from it.
 */
export type AnswerShape =
  | { readonly kind: 'text'; readonly about?: string }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly about?: string }
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly about?: string }
  | { readonly kind: 'integer'; readonly min?: number; readonly max?: number; readonly about?: string }
  | { readonly kind: 'boolean'; readonly about?: string }
  | {
      readonly kind: 'list'
      readonly of: AnswerShape
      readonly itemsMax?: number
      readonly about?: string
    }
  | ObjectShape

/** The form of a whole answer: all fields are required and there are no others. */
export interface ObjectShape {
  readonly kind: 'object'
  readonly fields: Readonly<Record<string, AnswerShape>>
  readonly about?: string
}

/** The type of an answer that has the shape. */
export type AnswerOf<Shape extends AnswerShape> = Shape extends { kind: 'text' }
  ? string
  : Shape extends { kind: 'choice'; values: readonly (infer Value)[] }
    ? Value
    : Shape extends { kind: 'number' | 'integer' }
      ? number
      : Shape extends { kind: 'boolean' }
        ? boolean
        : Shape extends { kind: 'list'; of: infer Item extends AnswerShape }
          ? AnswerOf<Item>[]
          : Shape extends { kind: 'object'; fields: infer Fields extends Record<string, AnswerShape> }
            ? { -readonly [Name in keyof Fields]: AnswerOf<Fields[Name]> }
            : never

/** The JSON schema of a shape, within what providers accept in their strict modes: ranges are said in words only. */
export function toJsonSchema(shape: AnswerShape): Record<string, unknown> {
  const about = describe(shape)
  return { ...typeOf(shape), ...defined({ description: about }) }
}

function typeOf(shape: AnswerShape): Record<string, unknown> {
  switch (shape.kind) {
    case 'text':
      return { type: 'string' }
    case 'choice':
      return { type: 'string', enum: [...shape.values] }
    case 'list':
      return { type: 'array', items: toJsonSchema(shape.of) }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([name, field]) => [name, toJsonSchema(field)]),
        ),
        required: Object.keys(shape.fields),
        additionalProperties: false,
      }
    default:
      return { type: shape.kind }
  }
}

function describe(shape: AnswerShape): string | undefined {
  const words = [shape.about, rangeOf(shape)].filter((part) => part !== undefined)
  return words.length === 0 ? undefined : words.join(' ')
}

function rangeOf(shape: AnswerShape): string | undefined {
  if (shape.kind === 'list')
    return shape.itemsMax === undefined ? undefined : `At most ${shape.itemsMax} items.`
  if (shape.kind !== 'number' && shape.kind !== 'integer') return undefined
  if (shape.min !== undefined && shape.max !== undefined) return `From ${shape.min} to ${shape.max}.`
  if (shape.min !== undefined) return `At least ${shape.min}.`
  return shape.max === undefined ? undefined : `At most ${shape.max}.`
}

/**
 * The answer when it has the shape to the letter, or what is wrong with it, naming the place. Nothing is converted: a
 * quoted number is a text, and a text is not a number.
 */
export function checkAnswer<Shape extends AnswerShape>(
  shape: Shape,
  value: unknown,
): { readonly answer: AnswerOf<Shape> } | { readonly fault: string } {
  const fault = faultOf(shape, value, '')
  return fault === undefined ? { answer: value as AnswerOf<Shape> } : { fault }
}

function faultOf(shape: AnswerShape, value: unknown, path: string): string | undefined {
  const here = path === '' ? 'the answer' : path
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string' ? undefined : `${here} must be a text`
    case 'choice':
      return shape.values.includes(value as string)
        ? undefined
        : `${here} must be one of ${shape.values.join(', ')}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${here} must be true or false`
    case 'number':
    case 'integer':
      return numberFault(shape, value, here)
    case 'list':
      return listFault(shape, value, path, here)
    case 'object':
      return objectFault(shape, value, path, here)
  }
}

function numberFault(
  { kind, min = -Infinity, max = Infinity }: Extract<AnswerShape, { kind: 'number' | 'integer' }>,
  value: unknown,
  here: string,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return `${here} must be a number`
  if (kind === 'integer' && !Number.isInteger(value)) return `${here} must be a whole number`
  return value < min || value > max ? `${here} must be from ${min} to ${max}` : undefined
}

function listFault(
  shape: Extract<AnswerShape, { kind: 'list' }>,
  value: unknown,
  path: string,
  here: string,
): string | undefined {
  if (!Array.isArray(value)) return `${here} must be a list`
  if (value.length > (shape.itemsMax ?? Infinity)) return `${here} must have at most ${shape.itemsMax} items`
  for (const [at, item] of value.entries()) {
    const fault = faultOf(shape.of, item, `${path}[${at}]`)
    if (fault !== undefined) return fault
  }
  return undefined
}

function objectFault(shape: ObjectShape, value: unknown, path: string, here: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${here} must be an object`
  const given = value as Record<string, unknown>
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(shape.fields, name))
  if (unknown !== undefined) return `${here} has a field ${JSON.stringify(unknown)} that was not asked for`
  for (const [name, field] of Object.entries(shape.fields)) {
    const place = path === '' ? name : `${path}.${name}`
    if (!Object.hasOwn(given, name)) return `${place} is missing`
    const fault = faultOf(field, given[name], place)
    if (fault !== undefined) return fault
  }
  return undefined
}
