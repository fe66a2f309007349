import type { Client } from './client.ts'
import { CONVERSATION } from './conversation.ts'
import { CHATS } from './selector-rules.ts'

const { exchanges } = CONVERSATION
const [first] = exchanges

const python = {
  environment: 'python',
  program: 'traceloop_calls.py',
  packages: ['traceloop-sdk'],
  calls: [first],
}

const guard = (slug: string, result: object, pass: boolean) => ({
  call: `POST /v2/guardrails/${slug}/execute`,
  answer: { result, pass },
})
const ran = (slug: string, result: object) => [
  { call: `POST /v2/evaluators/${slug}/executions`, answer: {} },
  { call: 'GET /v2/executions/*', answer: { result: { evaluator_result: result } } },
]

/** Calls of the Traceloop SDK other than tracing. */
export const TRACELOOP_CLIENTS: readonly Client[] = [
  {
    ...python,
    id: 'traceloop-sdk-python-guards',
    name: 'Traceloop SDK (Python), guards',
    env: { CALLS: 'guards' },
    // The spans of guards are matched as well, and must not be scored.
    selector: [{ key: 'service.name', source: 'resource_attributes', value: 'matrix' }],
    api: [
      guard('pii-detector', { has_pii: false }, true),
      guard('secrets-detector', { has_secret: false }, true),
      guard('pii-detector', { has_pii: true }, false),
      guard('json-validator', { is_valid_json: true }, true),
      guard('regex-validator', { is_valid_regex: true }, true),
      guard('json-validator', { is_valid_json: true }, true),
      guard('regex-validator', { is_valid_regex: false }, false),
    ],
  },
  {
    ...python,
    id: 'traceloop-sdk-python-executions',
    name: 'Traceloop SDK (Python), executions',
    env: { CALLS: 'executions' },
    selector: CHATS,
    calls: [],
    api: [
      ...ran('char-count', { char_count: [...exchanges[1].completion].length }),
      ...ran('regex-validator', { is_valid_regex: true }),
      ...ran('json-validator', { is_valid_json: false }),
      {
        call: 'POST /v2/evaluators/no-such-evaluator/executions',
        status: 404,
        answer: { error: 'evaluator not found' },
      },
    ],
  },
  {
    ...python,
    id: 'traceloop-sdk-python-images',
    name: 'Traceloop SDK (Python), images',
    env: { CALLS: 'images' },
    selector: CHATS,
    api: [
      { call: 'POST /v2/traces/*/spans/*/images', answer: {} },
      { call: 'POST /v2/traces/*/spans/*/images/message_1_content_1.png', answer: {} },
    ],
    spans: [{ name: 'openai.chat', ...first, image: 'message_1_content_1.png 70' }],
  },
  {
    ...python,
    id: 'traceloop-sdk-python-sync',
    name: 'Traceloop SDK (Python), synchronisation',
    env: { CALLS: 'sync', TRACELOOP_PROMPT_MANAGER_POLLING_INTERVAL: '1' },
    selector: CHATS,
    api: [
      { call: 'GET /v1/traceloop/prompts', answer: { prompts: [] } },
      {
        call: 'GET /v1/traceloop/pii/tracing-allow-list',
        answer: { associationPropertyAllowList: [] },
      },
    ],
  },
]
