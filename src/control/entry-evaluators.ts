import type { CustomEvaluator } from '../domain/custom-evaluator.ts'
import { EMBEDDED_JUDGE, modelName, parseModelName } from '../domain/judgement.ts'
import type { SetupEntry } from '../domain/setup.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { findBuiltIn, versionOf } from '../evaluators/catalogue.ts'
import { customEvaluatorOf } from '../evaluators/kit/custom-evaluator.ts'
import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import type { Storage } from '../ports/storage.ts'

/** The evaluator of an entry as it would be run today. */
export interface EntryEvaluator {
  readonly evaluator: AnyEvaluator
  readonly version: number
  /** The judge; absent where no judge is asked, or where there is none to ask. */
  readonly judge?: string
}

/** The dependencies of the search for an entry's evaluator. */
export interface EntryEvaluatorDeps {
  readonly storage: Pick<Storage, 'listCustomEvaluators'>
  /** The version of every built-in evaluator that can run, by slug. */
  readonly evaluatorVersions: Readonly<Record<string, number>>
  /** The judge of an organization: `provider/model`, `embedded`, or undefined where there is none. */
  readonly judgeOf: (tenant: OrgTenant) => Promise<string | undefined>
}

/** Finds the evaluator of an entry; undefined when there is none any more. */
export type FindEntryEvaluator = (entry: SetupEntry) => EntryEvaluator | undefined

/** Everything that decides how an entry would be run; plain data, so that a thread can have it. */
export interface EntryEvaluatorFacts extends Pick<EntryEvaluatorDeps, 'evaluatorVersions'> {
  readonly custom: readonly CustomEvaluator[]
  readonly judge: string | undefined
}

/** Looks up what the entries of a setup may need. The store is asked only when one of them is not built in. */
export async function readEntryEvaluators(
  { storage, evaluatorVersions, judgeOf }: EntryEvaluatorDeps,
  tenant: OrgTenant,
  entries: readonly SetupEntry[],
): Promise<EntryEvaluatorFacts> {
  const needsCustom = entries.some(({ evaluatorId }) => !findBuiltIn(evaluatorId))
  const custom = needsCustom ? await storage.listCustomEvaluators(tenant) : []
  return { evaluatorVersions, custom, judge: await judgeOf(tenant) }
}

/** Looks up the evaluators of the entries of a setup. */
export async function loadEntryEvaluators(
  deps: EntryEvaluatorDeps,
  tenant: OrgTenant,
  entries: readonly SetupEntry[],
): Promise<FindEntryEvaluator> {
  return entryEvaluatorsOf(await readEntryEvaluators(deps, tenant, entries))
}

/** Finds the evaluators of entries by what was looked up. */
export function entryEvaluatorsOf({
  evaluatorVersions,
  custom,
  judge,
}: EntryEvaluatorFacts): FindEntryEvaluator {
  return ({ evaluatorId, override }) => {
    const builtIn = findBuiltIn(evaluatorId)
    if (builtIn) {
      const version = evaluatorVersions[builtIn.slug] ?? versionOf(builtIn)
      return { evaluator: builtIn, version, ...judgeFor(builtIn, judge, override.config ?? {}) }
    }
    const own = custom.find((each) => each.evaluatorId === evaluatorId)
    return (
      own && {
        evaluator: customEvaluatorOf(own),
        version: own.version,
        judge: modelName({ provider: own.provider, model: own.modelConfig.model }),
      }
    )
  }
}

/** A model that the config names judges instead of the usual one, but not where there is no provider at all. */
function judgeFor(
  { judging }: AnyEvaluator,
  judge: string | undefined,
  config: Readonly<Record<string, unknown>>,
): { judge?: string } {
  if (!judging || judge === undefined) return {}
  if (judge === EMBEDDED_JUDGE) return judging.embedded ? { judge } : {}
  const chosen = judging.modelOf?.(config)
  return { judge: chosen === undefined ? judge : modelName(parseModelName(chosen)) }
}
