/** The setups that the demo makes, as the bulk route takes them. */

import { AGENT_SERVICE } from './agent-app.ts'

const onService = (service: string) => [
  { key: 'service.name', value: service, source: 'resource_attributes', operator: 'equals' },
]

const ORDER_SCHEMA = JSON.stringify({
  type: 'object',
  required: ['item', 'quantity', 'city'],
  properties: {
    item: { type: 'string' },
    quantity: { type: 'integer', minimum: 1 },
    city: { type: 'string' },
  },
})

export const DEMO_SETUPS = [
  {
    external_id: 'support-answers',
    selector: onService('support-bot'),
    evaluators: ['word-count', 'char-count-ratio', 'regex-validator'],
    evaluator_configs: [{ slug: 'regex-validator', config: { regex: 'TICKET-\\d{4}' } }],
  },
  {
    external_id: 'orders-are-json',
    selector: onService('order-extractor'),
    evaluators: ['json-validator'],
    evaluator_configs: [
      { slug: 'json-validator', config: { enable_schema_validation: true, schema_string: ORDER_SCHEMA } },
    ],
  },
  {
    external_id: 'queries-are-sql',
    selector: onService('sql-assistant'),
    evaluators: ['sql-validator', 'char-count'],
  },
  {
    external_id: 'half-of-everything',
    // Every SDK's name for the vendor counts: these spans say gen_ai.provider.name.
    selector: [{ key: 'gen_ai.system', value: 'openai', source: 'span_attributes', operator: 'equals' }],
    evaluators: ['word-count'],
    evaluator_configs: [{ slug: 'word-count', sampling_rate: 0.5 }],
  },
  {
    external_id: 'agent-runs',
    selector: onService(AGENT_SERVICE),
    // These look at whole traces, when they are finished.
    evaluators: ['agent-efficiency', 'action-advancement'],
  },
  {
    external_id: 'needs-ground-truth',
    selector: onService('sql-assistant'),
    // No span carries the right answer, so this entry fails and says how to supply it.
    evaluators: ['char-count', 'agent-tool-trajectory'],
    evaluator_configs: [{ slug: 'agent-tool-trajectory', scope: 'span' }],
  },
]

/** A change that a user might try, for a dry run: everything that OpenAI answers, and whether it is true. */
export const CHANGED_SETUP = {
  external_id: 'support-answers',
  selector: [{ key: 'gen_ai.system', value: 'openai', source: 'span_attributes', operator: 'equals' }],
  evaluators: ['word-count', 'faithfulness'],
}
