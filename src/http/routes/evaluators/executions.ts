import * as z from 'zod'
import { notFound } from '../../../domain/errors.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { builtInId, findBuiltIn, versionOf } from '../../../evaluators/catalogue.ts'
import { withSynonyms } from '../../../evaluators/kit/input-synonyms.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute, type RouteDeps } from '../../route.ts'
import { evaluatorParams } from '../../wire/path-params.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { EXECUTION_ERRORS, EXECUTORS } from './execute-evaluator.ts'
import { tellJudge } from './judge-headers.ts'

const INPUTS_MAX = 200

export const startExecutionRoute = defineRoute({
  method: 'POST',
  path: '/v2/evaluators/{evaluator}/executions',
  operationId: 'startExecution',
  tag: 'Execute an evaluator',
  summary: 'Run an evaluator and fetch the answer later',
  description:
    'Answers at once. The answer of the evaluator is fetched from `/v2` and the `stream_url`, for one hour, also after a ' +
    'restart of the service. An input that is missing is taken from a synonym of its name, for example `text` from ' +
    '`completion`.',
  access: EXECUTORS,
  params: evaluatorParams,
  body: z
    .object({
      input_schema_mapping: z
        .record(z.string(), z.object({ source: z.unknown().describe('The value itself.') }))
        .refine((mapping) => Object.keys(mapping).length <= INPUTS_MAX, {
          error: `must contain at most ${INPUTS_MAX} keys`,
        })
        .describe('The inputs of the evaluator, by name.'),
      evaluator_version: boundedText(255)
        .optional()
        .describe('Number or id of a version; absent: the newest.'),
      evaluator_config: z.looseObject({}).optional().describe('Settings of the evaluator.'),
    })
    .meta({ id: 'ExecutionInput' }),
  success: {
    status: 200,
    description: 'The execution was stored and will be run.',
    schema: z
      .object({
        execution_id: z.string(),
        stream_url: z.string().describe('Where the answer is, without the leading `/v2`.'),
      })
      .meta({ id: 'ExecutionStarted' }),
  },
  errors: {
    404: 'The organization knows no such evaluator.',
    429: 'Too many executions of the project are waiting.',
  },
  async handle({ principal, params, body }, deps) {
    const evaluator = await resolve(deps, principal, params.evaluator, body.evaluator_version)
    const given = Object.fromEntries(
      Object.entries(body.input_schema_mapping).map(([name, { source }]) => [name, source]),
    )
    const id = await deps.executions.start(principal, evaluator.id, {
      input: withSynonyms(evaluator.inputs, given),
      ...defined({ config: body.evaluator_config, version: evaluator.version }),
    })
    return { execution_id: id, stream_url: `/executions/${id}` }
  },
})

export const fetchExecutionRoute = defineRoute({
  method: 'GET',
  path: '/v2/executions/{execution_id}',
  operationId: 'fetchExecution',
  tag: 'Execute an evaluator',
  summary: 'Fetch the answer of an execution',
  description:
    'Waits until there is one. An execution that gave none answers with the error that the evaluator gave; it is run again ' +
    'when it is fetched again, unless it would fail in the same way.',
  access: EXECUTORS,
  params: z.object({ execution_id: z.string().describe('Id of the execution.') }),
  success: {
    status: 200,
    description: 'The answer, as one JSON document.',
    schema: z
      .object({
        execution_id: z.string(),
        result: z.object({ evaluator_result: z.looseObject({}).describe("The evaluator's own answer.") }),
      })
      .meta({ id: 'ExecutionResult' }),
  },
  errors: { ...EXECUTION_ERRORS, 404: 'The project has no such execution, or it is too old.' },
  async handle({ principal, params, setHeader }, { executions }) {
    const answer = await executions.fetch(principal, params.execution_id)
    tellJudge(answer, setHeader)
    return { execution_id: params.execution_id, result: { evaluator_result: answer.output } }
  },
})

/** The evaluator that is meant; a custom one in the version that is the newest now, if none is named. */
async function resolve(
  { storage }: RouteDeps,
  principal: Principal,
  name: string,
  version: string | undefined,
): Promise<{ id: string; inputs: readonly string[]; version?: string }> {
  const noVersion = () => invalidInput(`evaluator_version ${version} of ${name} does not exist`)
  const builtIn = findBuiltIn(name)
  if (builtIn) {
    if (version !== undefined && version !== String(versionOf(builtIn))) throw noVersion()
    return { id: builtInId(builtIn.slug), inputs: Object.keys(builtIn.input.shape) }
  }
  const newest = await storage.findCustomEvaluator(principal, name)
  if (!newest) throw notFound('evaluator not found')
  const meant =
    version === undefined ? newest : await storage.findCustomEvaluator(principal, newest.evaluatorId, version)
  if (!meant) throw noVersion()
  return {
    id: meant.evaluatorId,
    inputs: meant.inputSchema.map((field) => field.name),
    version: meant.versionId,
  }
}
