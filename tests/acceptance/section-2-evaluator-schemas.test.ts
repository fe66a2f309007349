import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVALUATORS } from '../../src/evaluators/registry.gen.ts'
import { startRestingService } from '../support/service.ts'
import { createSetup, readSetup } from './setup-calls.ts'

// Copied by hand from the table of wire-facts 1.1: slug, inputs, outputs; is_toxic comes from section 4.3 of the spec. An input is a string unless it says otherwise.
const TABLE = `
agent-efficiency | trajectory_prompts trajectory_completions | step_efficiency_score:float step_efficiency_reason:string task_completion_score:float task_completion_reason:string
agent-flow-quality | trajectory_prompts trajectory_completions | success:boolean score:float reason:string
agent-goal-accuracy | question completion reference | accuracy_score:float
agent-goal-completeness | trajectory_prompts trajectory_completions | success:boolean score:float reason:string
agent-tool-error-detector | tool_input tool_output | success:boolean reason:string
agent-tool-selection-quality | input_messages output_messages | tool_selection:string tool_selection_reason:string correct_args:boolean correct_args_reason:string
agent-tool-trajectory | executed_tool_calls expected_tool_calls | success:boolean score:float reason:string
action-advancement | messages | pass:boolean reason:string
answer-completeness | question completion context | answer_completeness_score:float
answer-correctness | question completion ground_truth | correctness_score:float
answer-relevancy | answer question | is_relevant:boolean
char-count | text | char_count:int
char-count-ratio | numerator_text denominator_text | char_ratio:float
context-relevance | query completion context | relevance_score:float
conversation-quality | prompts completions | conversation_quality_score:float
faithfulness | completion context question | is_faithful:boolean
html-comparison | html1 html2 | similarity_score:float
instruction-adherence | instructions response | instruction_adherence_score:float
intent-change | prompts completions | success:boolean score:int reason:string
json-validator | text | is_valid_json:boolean
perplexity | logprobs | perplexity_score:float
pii-detector | text | has_pii:boolean reason:string
placeholder-regex | placeholder_name placeholder_value text | is_valid_regex:boolean
profanity-detector | text | is_safe:boolean
prompt-injection | prompt | has_injection:boolean
prompt-perplexity | prompt | perplexity_score:float
regex-validator | text | is_valid_regex:boolean
secrets-detector | text | has_secret:boolean
semantic-similarity | completion reference | similarity_score:float
sexism-detector | text | is_safe:boolean
sql-validator | text | is_valid_sql:boolean
tone-detection | text | tone:string score:float
topic-adherence | question completion reference_topics | adherence_score:float
toxicity-detector | text | is_safe:boolean is_toxic:boolean
uncertainty-detector | prompt | answer:string uncertainty:float
word-count | text | word_count:int
word-count-ratio | numerator_text denominator_text | word_ratio:float
`

const definitions = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [slug = '', inputs = '', outputs = ''] = line.split('|').map((cell) => cell.trim())
    return { slug, inputs: inputs.split(' '), outputs: outputs.split(' ') }
  })

interface SchemaField {
  name: string
  type: string
  description: string
  label: string
  enum_values?: string[]
}

/** A field without enum values is its name and type; an `enum` is a string with a fixed set of values. */
const spell = ({ name, type }: SchemaField) => `${name}:${type === 'enum' ? 'string' : type}`

const service = await startRestingService()

test('201 takes every built-in slug in one setup and keeps their order', async () => {
  const slugs = definitions.map(({ slug }) => slug)
  assert.deepEqual(slugs.toSorted(), EVALUATORS.map(({ slug }) => slug).sort())
  const setup = await createSetup(service, { external_id: 'all', evaluators: slugs })
  assert.deepEqual(
    setup.evaluators.map((entry: { evaluator_type: string }) => entry.evaluator_type),
    slugs,
  )
  const ids = setup.evaluators.map((entry: { evaluator_id: string }) => entry.evaluator_id)
  assert.equal(new Set(ids).size, 37)
  for (const entry of setup.evaluators) assert.equal(entry.status, 'pending')
})

for (const { slug, inputs, outputs } of definitions) {
  test(`201 describes the inputs and outputs of ${slug}`, async () => {
    const setup = await createSetup(service, { external_id: slug, evaluators: [slug] })
    const [entry] = setup.evaluators
    assert.deepEqual(
      entry.input_schema.map(spell),
      inputs.map((name) => `${name}:string`),
    )
    assert.deepEqual(entry.output_schema.map(spell), outputs)
    for (const field of [...entry.input_schema, ...entry.output_schema] as SchemaField[]) {
      assert.ok(field.description.length > 0)
      assert.ok(field.label.length > 0)
      if (field.enum_values !== undefined) assert.ok(field.enum_values.length > 0)
    }
  })
}

test('201 gives an evaluator the same id in every setup', async () => {
  const one = await createSetup(service, { external_id: 'id-1', evaluators: ['char-count', 'faithfulness'] })
  const two = await createSetup(service, { external_id: 'id-2', evaluators: ['faithfulness'] })
  assert.equal(typeof one.evaluators[1].evaluator_id, 'string')
  assert.equal(one.evaluators[1].evaluator_id, two.evaluators[0].evaluator_id)
  assert.deepEqual((await readSetup(service, 'id-2')).evaluators, two.evaluators)
})

for (const slug of [
  'hallucination',
  'toxicity',
  'pii',
  'CHAR-COUNT',
  'char_count',
  ' char-count',
  'constructor',
]) {
  test(`400 does not know the slug "${slug}"`, async () => {
    const body = { external_id: 'unknown', evaluators: [slug] }
    const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.json, { error: `invalid input: evaluators[0]: unknown evaluator slug ${slug}` })
  })
}
