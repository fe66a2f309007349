import { notFound } from '../../domain/errors.ts'
import { EMBEDDED_JUDGE, type EmbeddedQuality, type Judgement, NOBODY_ASKED } from '../../domain/judgement.ts'
import type { Principal } from '../../domain/tenant.ts'
import { findBuiltIn, versionOf } from '../../evaluators/catalogue.ts'
import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { defined } from '../../lib/defined.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { JudgeDesk } from '../../ports/judge.ts'
import type { Storage } from '../../ports/storage.ts'
import type { JudgingPool } from '../judging/judging-pool.ts'
import type { EvaluatorPool } from './evaluator-pool.ts'
import { runEvaluator } from './run-evaluator.ts'

/** A call of an evaluator whose values are known already. */
export interface EvaluationCall {
  readonly input: unknown
  readonly config?: unknown
  /** Number or id of a version of a custom evaluator; absent: the newest. Another than there is, is an invalid input. */
  readonly version?: string
}

/** The answer of an evaluator, and the judge where one was asked. */
export interface EvaluationAnswer {
  /** The output fields of the evaluator, nothing around them. */
  readonly output: Record<string, unknown>
  readonly judgement?: Judgement
  /** How good the embedded judge was measured to be, where it was the one that judged. */
  readonly quality?: EmbeddedQuality
}

/**
 * Runs any evaluator that the caller's organization knows, by id or slug, on a call or on the bytes of an execute
 * request. Nothing is stored. Throws public errors only: not found, invalid input that names the field, `NoVerdict`;
 * everything else is a bug.
 */
export type ExecuteEvaluation = (
  who: Principal,
  name: string,
  call: EvaluationCall | Uint8Array,
  signal: AbortSignal,
) => Promise<EvaluationAnswer>

/** The dependencies of executing. */
export interface ExecutionDeps {
  readonly storage: Storage
  readonly pool: EvaluatorPool
  readonly judging: JudgingPool
  readonly desk: JudgeDesk
  /** False: without a provider nothing is judged. */
  readonly hasEmbeddedJudge: boolean
}

/** Puts together how any evaluator is run: alone, with the judge that is configured, or with the embedded one. */
export function createExecuteEvaluation(deps: ExecutionDeps): ExecuteEvaluation {
  return async (who, name, call, signal) => {
    const version = call instanceof Uint8Array ? undefined : call.version
    const evaluator = findBuiltIn(name)
    if (!evaluator) return executeCustom(deps, who, name, call, signal)
    if (version !== undefined && version !== String(versionOf(evaluator))) {
      throw invalidInput(`evaluator_version ${version} of ${evaluator.slug} is not here`)
    }
    if (evaluator.judging) return executeJudged(deps, who, evaluator, call, signal)
    return {
      output: await runEvaluator(deps.pool, evaluator, bytesOf(call), { tenant: who.projectId, signal }),
    }
  }
}

async function executeCustom(
  { storage, judging }: ExecutionDeps,
  who: Principal,
  name: string,
  call: EvaluationCall | Uint8Array,
  signal: AbortSignal,
): Promise<EvaluationAnswer> {
  const version = call instanceof Uint8Array ? undefined : call.version
  const custom = await storage.findCustomEvaluator(who, name, version)
  if (!custom && version !== undefined && (await storage.findCustomEvaluator(who, name))) {
    throw invalidInput(`evaluator_version ${version} of ${name} is not there`)
  }
  if (!custom) throw notFound('evaluator not found')
  const model = { provider: custom.provider, model: custom.modelConfig.model }
  return judging.execute({ custom }, call, { payer: payerOf(who), model }, signal)
}

async function executeJudged(
  { pool, judging, desk, hasEmbeddedJudge }: ExecutionDeps,
  who: Principal,
  evaluator: AnyEvaluator,
  call: EvaluationCall | Uint8Array,
  signal: AbortSignal,
): Promise<EvaluationAnswer> {
  const model = await desk.defaultModel(who)
  if (model) {
    return judging.execute({ slug: evaluator.slug }, call, { payer: payerOf(who), model }, signal)
  }
  const { embedded, embeddedQuality: quality } = evaluator.judging ?? {}
  const isEmbedded = embedded !== undefined && hasEmbeddedJudge
  const judge = isEmbedded ? 'embedded' : 'nobody'
  const output = await pool.run(
    { slug: evaluator.slug, body: bytesOf(call), judge },
    { tenant: who.projectId, signal },
  )
  if (!isEmbedded) return { output, judgement: NOBODY_ASKED }
  return { output, judgement: { judge: EMBEDDED_JUDGE, ...NOBODY_ASKED }, ...(quality ? { quality } : {}) }
}

function payerOf({ orgId, projectId }: Principal) {
  return { orgId, projectId }
}

function bytesOf(call: EvaluationCall | Uint8Array): Uint8Array {
  if (call instanceof Uint8Array) return call
  const { input, config } = call
  return Buffer.from(JSON.stringify({ input, ...defined({ config }) }))
}
