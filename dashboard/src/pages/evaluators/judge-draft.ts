import type { components } from '../../api/schema.gen.ts'
import { labelOf } from '../../ui/label-of.ts'
import { type DraftVerdict, draftVerdict, verdictBodyOf } from './draft-verdict.ts'
import type { EvaluatorDetail, SchemaField } from './evaluator-types.ts'

export const PROVIDERS = ['openai', 'anthropic', 'google', 'azure', 'bedrock'] as const
export const ROLES = ['system', 'user', 'assistant'] as const
type Role = (typeof ROLES)[number]

export interface DraftMessage {
  /** Stays with it while others come and go. */
  readonly id: number
  readonly role: Role
  readonly content: string
}

/** An input or an output while it is being written. */
export interface DraftField extends Omit<SchemaField, 'enum_values' | 'label'> {
  readonly id: number
  /** One value a line. */
  readonly enumText: string
  /** Only where it is another than the one that is made from the name. */
  readonly label?: string
}

export interface Sampling {
  readonly temperature?: number
  readonly top_p?: number
  readonly frequency_penalty?: number
  readonly presence_penalty?: number
  readonly max_tokens?: number
  /** One a line. */
  readonly stopText: string
}

/** A custom judge while it is being written. */
export interface JudgeDraft {
  readonly name: string
  /** Undefined: made from the name. */
  readonly slug: string | undefined
  readonly description: string
  readonly provider: string
  readonly model: string
  readonly messages: readonly DraftMessage[]
  readonly inputs: readonly DraftField[]
  readonly outputs: readonly DraftField[]
  readonly verdict: DraftVerdict
  readonly sampling: Sampling
}

let lastId = 0
const nextId = () => ++lastId

export const newMessage = (role: Role = 'user', content = ''): DraftMessage => ({
  id: nextId(),
  role,
  content,
})

export function newField(field: Partial<SchemaField> = {}): DraftField {
  const { name = '', type = 'string', description = '', enum_values = [], label, minimum, maximum } = field
  return {
    id: nextId(),
    name,
    type,
    description,
    enumText: enum_values.join('\n'),
    ...(label === undefined || label === labelOf(name) ? {} : { label }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }
}

/** The draft of a new judge: it works as it stands and shows how a prompt is written. */
export function firstDraft(judge: string | null | undefined): JudgeDraft {
  const [provider = '', ...model] = (judge ?? '').split('/')
  const isKnown = (PROVIDERS as readonly string[]).includes(provider)
  const outputs = [
    newField({ name: 'pass', type: 'boolean', description: 'True when the answer is polite.' }),
    newField({ name: 'reason', description: 'Why, in one sentence.' }),
  ]
  return {
    name: '',
    slug: undefined,
    description: '',
    provider: isKnown ? provider : 'openai',
    model: isKnown ? model.join('/') : '',
    messages: [
      newMessage('system', 'You judge the answers of a support assistant.'),
      newMessage('user', 'Is this answer polite?\n\n{{completion}}'),
    ],
    inputs: [newField({ name: 'completion', description: 'The answer to judge.' })],
    outputs,
    verdict: draftVerdict({ property: 'pass', is: true }, outputs),
    sampling: { stopText: '' },
  }
}

export function draftOf(evaluator: EvaluatorDetail): JudgeDraft {
  const { name, slug, description, config, input_schema, output_schema } = evaluator
  const { model, stop, ...sampling } = config.llm_config as { model: string; stop?: string[] } & Omit<
    Sampling,
    'stopText'
  >
  const outputs = output_schema.map(newField)
  return {
    name,
    slug,
    description,
    provider: config.provider,
    model,
    messages: config.messages.map(({ role, content }) => newMessage(role as Role, String(content))),
    inputs: input_schema.map(newField),
    outputs,
    verdict: draftVerdict(evaluator.chosen_verdict, outputs),
    sampling: { ...sampling, stopText: (stop ?? []).join('\n') },
  }
}

type CreateBody = components['schemas']['CustomEvaluatorInput']
type ChangeBody = components['schemas']['CustomEvaluatorUpdateInput']

/** The body that makes the judge. */
export function createBodyOf(draft: JudgeDraft): CreateBody {
  const { stopText, ...sampling } = draft.sampling
  const stop = linesOf(stopText)
  const verdict = verdictBodyOf(draft.verdict, draft.outputs)
  return {
    name: draft.name.trim(),
    ...(draft.slug === undefined ? {} : { slug: draft.slug }),
    description: draft.description,
    provider: draft.provider,
    model: draft.model.trim(),
    messages: draft.messages.map(({ role, content }) => ({ role, content })),
    input_schema: draft.inputs.map(fieldOf),
    output_schema: draft.outputs.map(fieldOf),
    ...(verdict ? { verdict } : {}),
    ...sampling,
    ...(stop.length === 0 ? {} : { stop }),
  }
}

/** The body that changes a judge into this one: what is not set any more goes back to the provider. */
export function changeBodyOf(draft: JudgeDraft): ChangeBody {
  const { name, description, provider, model, messages, input_schema, output_schema, verdict } =
    createBodyOf(draft)
  const { temperature, top_p, frequency_penalty, presence_penalty, max_tokens, stopText } = draft.sampling
  const stop = linesOf(stopText)
  return {
    name,
    description: description ?? '',
    input_schema,
    output_schema,
    verdict: verdict ?? null,
    config: {
      provider,
      messages,
      llm_config: {
        model,
        temperature: temperature ?? null,
        top_p: top_p ?? null,
        frequency_penalty: frequency_penalty ?? null,
        presence_penalty: presence_penalty ?? null,
        max_tokens: max_tokens ?? null,
        stop: stop.length === 0 ? null : stop,
      },
    },
  }
}

function fieldOf({ name, type, description, enumText, label, minimum, maximum }: DraftField) {
  const isNumber = type === 'int' || type === 'float'
  return {
    name: name.trim(),
    type,
    description,
    ...(label === undefined ? {} : { label }),
    ...(type === 'enum' ? { enum_values: linesOf(enumText) } : {}),
    ...(isNumber && minimum !== undefined ? { minimum } : {}),
    ...(isNumber && maximum !== undefined ? { maximum } : {}),
  }
}

/** A field as forms show it. */
export function schemaFieldOf(field: DraftField): SchemaField {
  return { label: labelOf(field.name), ...fieldOf(field) }
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

/** The slug that the service makes from a name, unless it is taken. */
export function slugFromName(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
}
