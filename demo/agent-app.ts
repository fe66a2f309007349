import { randomBytes } from 'node:crypto'
import type { Destination } from './chat-app.ts'

/** The service name of the agent. */
export const AGENT_SERVICE = 'travel-agent'

type Attributes = Readonly<Record<string, string>>

interface Step {
  readonly name: string
  readonly attributes: Attributes
  readonly hasFailed?: true
}

const message = (role: string, content: string) =>
  JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

const chat = (asked: string, answered: string): Step => ({
  name: 'chat gpt-4o',
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.input.messages': message('user', asked),
    'gen_ai.output.messages': message('assistant', answered),
  },
})

const tool = (name: string, given: object, got: object): Step => ({
  name: `execute_tool ${name}`,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.arguments': JSON.stringify(given),
    'gen_ai.tool.call.result': JSON.stringify(got),
  },
  ...('error' in got ? { hasFailed: true } : {}),
})

/** The agent's work for its users: it searches, tries again when a tool fails, and books or gives up. */
const RUNS: readonly (readonly Step[])[] = [
  [
    chat(
      'Book me a train from Oslo to Bergen tomorrow morning.',
      'I will look for trains from Oslo to Bergen.',
    ),
    tool('search_trains', { from: 'Oslo', to: 'Bergen' }, { trains: [{ id: 'R601', leaves: '06:25' }] }),
    tool('book_train', { id: 'R601' }, { booking: 'B-4711' }),
    chat(
      'Is it booked?',
      'Yes: the train from Oslo to Bergen at 06:25 tomorrow is booked, your booking is B-4711.',
    ),
  ],
  [
    chat('Find a hotel in Bergen near the harbour.', 'I will look for hotels in Bergen.'),
    tool('search_hotels', { city: 'Bergen' }, { error: 'timeout' }),
    tool('search_hotels', { city: 'Bergen' }, { error: 'timeout' }),
    tool('search_hotels', { city: 'Bergen' }, { error: 'timeout' }),
    chat('Did you find one?', 'I am sorry, I cannot help with that.'),
  ],
]

/** Lets the agent work once for each of its users and sends one trace for each. */
export async function playAgent({ url, apiKey }: Destination): Promise<void> {
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: attributeList({ 'service.name': AGENT_SERVICE }) },
          scopeSpans: [{ scope: { name: 'demo' }, spans: RUNS.flatMap(spansOf) }],
        },
      ],
    }),
  })
  if (!response.ok)
    throw new Error(`the agent's spans were answered ${response.status}: ${await response.text()}`)
}

function spansOf(steps: readonly Step[]): object[] {
  const traceId = randomBytes(16).toString('hex')
  const rootId = randomBytes(8).toString('hex')
  const startMs = Date.now()
  const times = (at: number, lasts: number) => ({
    startTimeUnixNano: `${startMs + at * 100}000000`,
    endTimeUnixNano: `${startMs + (at + lasts) * 100}000000`,
  })
  const root = {
    ...{ traceId, spanId: rootId, name: 'invoke_agent traveller', kind: 1, ...times(0, steps.length) },
    attributes: attributeList({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'traveller' }),
  }
  const children = steps.map(({ name, attributes, hasFailed }, at) => ({
    ...{
      traceId,
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: rootId,
      name,
      kind: 3,
      ...times(at, 1),
    },
    attributes: attributeList(attributes),
    ...(hasFailed ? { status: { code: 2 } } : {}),
  }))
  return [root, ...children]
}

function attributeList(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}
