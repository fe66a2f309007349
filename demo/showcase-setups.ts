/** The setups, the custom judge and the keys of the showcase. */

const service = (value: string) => ({
  key: 'service.name',
  value,
  source: 'resource_attributes',
  operator: 'equals',
})
const operation = (value: string) => ({
  key: 'gen_ai.operation.name',
  value,
  source: 'span_attributes',
  operator: 'equals',
})

const SUMMARY_SCHEMA = JSON.stringify({
  type: 'object',
  required: ['summary', 'action_items'],
  properties: { summary: { type: 'string' }, action_items: { type: 'array', items: { type: 'string' } } },
})

/** A judge of the organization's own. */
export const BRAND_VOICE = {
  name: 'Brand voice',
  slug: 'brand-voice',
  description: 'Whether an answer sounds like us: warm, clear, never blaming the customer.',
  provider: 'openai',
  model: 'gpt-4o-mini',
  messages: [
    {
      role: 'system',
      content: 'You know how Nordlicht Bikes speaks with its customers: warm, clear, and never blaming them.',
    },
    {
      role: 'user',
      content:
        'A customer asked:\n\n{{prompt}}\n\nWe answered:\n\n{{completion}}\n\nDoes the answer sound like us?',
    },
  ],
  input_schema: [
    { name: 'prompt', type: 'string', description: 'What the customer asked.' },
    { name: 'completion', type: 'string', description: 'What we answered.' },
  ],
  output_schema: [
    { name: 'warmth', type: 'int', description: 'From 1, cold, to 5, warm.', minimum: 1, maximum: 5 },
    { name: 'on_brand', type: 'boolean', description: 'Whether it sounds like us.' },
    { name: 'reason', type: 'string', description: 'Why, in one sentence.' },
  ],
}

export const SHOWCASE_SETUPS = [
  {
    external_id: 'support-answer-quality',
    selector: [service('support-chat'), operation('chat')],
    evaluators: ['faithfulness', 'answer-relevancy', 'context-relevance'],
    evaluator_configs: [
      { slug: 'answer-relevancy', sampling_rate: 0.8 },
      { slug: 'context-relevance', sampling_rate: 0.5 },
    ],
  },
  {
    external_id: 'support-safety',
    selector: [service('support-chat'), operation('chat')],
    evaluators: ['toxicity-detector', 'pii-detector', 'prompt-injection'],
  },
  {
    external_id: 'support-brand-voice',
    selector: [service('support-chat'), operation('chat')],
    evaluators: ['brand-voice', 'tone-detection'],
    evaluator_configs: [{ slug: 'brand-voice', sampling_rate: 0.4 }],
  },
  {
    external_id: 'support-conversations',
    selector: [service('support-chat')],
    evaluators: ['conversation-quality'],
    evaluator_configs: [{ slug: 'conversation-quality', scope: 'session', sampling_rate: 0.3 }],
  },
  {
    external_id: 'research-agent-runs',
    selector: [service('research-agent')],
    evaluators: ['agent-goal-completeness', 'agent-efficiency'],
    evaluator_configs: [
      { slug: 'agent-goal-completeness', config: { threshold: 0.5 } },
      { slug: 'agent-efficiency', sampling_rate: 0.5 },
    ],
  },
  {
    external_id: 'research-agent-tools',
    selector: [service('research-agent'), operation('execute_tool')],
    evaluators: ['agent-tool-error-detector'],
  },
  {
    external_id: 'summaries-are-json',
    selector: [service('meeting-summarizer')],
    evaluators: ['json-validator', 'pii-detector'],
    evaluator_configs: [
      { slug: 'json-validator', config: { enable_schema_validation: true, schema_string: SUMMARY_SCHEMA } },
    ],
  },
  {
    external_id: 'summaries-against-reference',
    selector: [service('meeting-summarizer')],
    // No span carries a reference, so this entry fails and says how to supply one.
    evaluators: ['char-count-ratio', 'semantic-similarity'],
  },
  { external_id: 'sql-is-valid', selector: [service('sql-assistant')], evaluators: ['sql-validator'] },
  {
    external_id: 'sql-is-correct',
    selector: [service('sql-assistant')],
    // No span carries the right answer.
    evaluators: ['answer-correctness'],
  },
  {
    external_id: 'checkout-assistant',
    selector: [service('checkout-assistant')],
    evaluators: ['answer-relevancy', 'pii-detector'],
  },
]

/** Keys beside the one that made everything, as an organization has them. */
export const SHOWCASE_KEYS = [
  { name: 'support-chat', scopes: ['ingest'] },
  { name: 'research-agent', scopes: ['ingest'] },
  { name: 'deploy pipeline', scopes: ['read', 'write'] },
  { name: 'weekly report', scopes: ['read'] },
]
