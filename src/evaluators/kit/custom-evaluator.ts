import * as z from 'zod'
import type { AnswerShape, ObjectShape } from '../../domain/answer-shape.ts'
import type { CustomEvaluator, CustomMessage } from '../../domain/custom-evaluator.ts'
import type { SchemaField } from '../../domain/evaluator.ts'
import { modelName } from '../../domain/judgement.ts'
import { splitTemplate } from '../../domain/prompt-template.ts'
import { defined } from '../../lib/defined.ts'
import type { JudgeQuestion, PromptMessage, PromptPart } from '../../ports/judge.ts'
import { type AnyEvaluator, defineEvaluator } from './define-evaluator.ts'
import { noConfig } from './fields.ts'
import { canonicalFieldOf } from './input-synonyms.ts'

type Values = Readonly<Record<string, string | number | boolean>>

/** An organization's own evaluator as one that can be run like those that are built in. */
export function customEvaluatorOf(custom: CustomEvaluator): AnyEvaluator {
  const { model, ...sampling } = custom.modelConfig
  const answer = answerShape(custom.outputSchema)
  return defineEvaluator({
    slug: custom.slug,
    summary: custom.description || custom.name,
    method: 'judge',
    input: z.object(shapeOf(custom.inputSchema, inputType)),
    config: noConfig,
    output: z.object(shapeOf(custom.outputSchema, outputType)),
    version: custom.version,
    defaultScope: 'span',
    verdict: custom.verdict,
    fromSpan: Object.fromEntries(custom.inputSchema.map(({ name }) => [name, canonicalFieldOf(name)])),
    examples: [],
    judging: {
      modelOf: () => modelName({ provider: custom.provider, model }),
      ask: ({ input, judge }) => {
        const question: JudgeQuestion = {
          prompt: `custom/${custom.evaluatorId}@${custom.version}`,
          messages: renderMessages(custom.messages, custom.inputSchema, input as Values),
          answer,
          model: { provider: custom.provider, model },
          sampling,
        }
        return judge.ask(question)
      },
    },
  })
}

/**
 * The prompt of one call. The templates are instructions, the values put into them are data. An input that no
 * template asks for follows at the end of the last user turn: the model would not see it otherwise.
 */
export function renderMessages(
  messages: readonly CustomMessage[],
  inputs: readonly SchemaField[],
  values: Values,
): PromptMessage[] {
  const shown = new Set<string>()
  const rendered = messages.map(({ role, content }) => ({
    role,
    parts: splitTemplate(content).map((piece) => {
      if (typeof piece === 'string') return piece
      shown.add(piece.placeholder)
      return dataPart(piece.placeholder, values)
    }),
  }))
  const rest = inputs.map(({ name }) => name).filter((name) => !shown.has(name))
  if (rest.length === 0) return rendered
  const parts = rest.flatMap((name) => [`\n\n${name}:\n`, dataPart(name, values)])
  const last = rendered.findLast(({ role }) => role === 'user')
  if (!last) return [...rendered, { role: 'user', parts }]
  last.parts.push(...parts)
  return rendered
}

function dataPart(label: string, values: Values): PromptPart {
  return { label, data: String(values[label]) }
}

function answerShape(fields: readonly SchemaField[]): ObjectShape {
  return {
    kind: 'object',
    fields: Object.fromEntries(fields.map((field) => [field.name, fieldShape(field)])),
  }
}

const SHAPE_KINDS = { string: 'text', int: 'integer', float: 'number', boolean: 'boolean' } as const

function fieldShape({ type, description, enumValues = [], minimum, maximum }: SchemaField): AnswerShape {
  const about = description === '' ? {} : { about: description }
  if (type === 'enum') return { kind: 'choice', values: enumValues, ...about }
  const range = {
    ...defined({ min: minimum, max: maximum }),
  }
  return { kind: SHAPE_KINDS[type], ...about, ...range }
}

function shapeOf(fields: readonly SchemaField[], typeOf: (field: SchemaField) => z.ZodType) {
  return Object.fromEntries(
    fields.map((field) => [field.name, typeOf(field).describe(field.description)]),
  ) as Record<string, z.ZodType>
}

// Any whole number: the validator's own integers end where doubles stop being exact.
const wholeNumber = z.number().refine(Number.isInteger, { error: 'must be a whole number' })

const numberText = z
  .string()
  .regex(/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/, 'must be a number')
  .transform(Number)

const OUTPUT_TYPES = { string: z.string(), int: wholeNumber, float: z.number(), boolean: z.boolean() }

// Numbers and truth values may come as text, because all that a span or a mapping gives is text.
const INPUT_TYPES = {
  string: z.string(),
  int: z.union([wholeNumber, numberText.pipe(wholeNumber)]),
  float: z.union([z.number(), numberText.pipe(z.number())]),
  boolean: z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]),
}

function outputType({ type, enumValues = [] }: SchemaField): z.ZodType {
  return type === 'enum' ? z.enum(enumValues) : OUTPUT_TYPES[type]
}

function inputType({ type, enumValues = [], minimum, maximum }: SchemaField): z.ZodType {
  if (type === 'enum') return z.enum(enumValues)
  if (type !== 'int' && type !== 'float') return INPUT_TYPES[type]
  return INPUT_TYPES[type]
    .refine((value) => minimum === undefined || value >= minimum, { error: `must be at least ${minimum}` })
    .refine((value) => maximum === undefined || value <= maximum, { error: `must be at most ${maximum}` })
}
