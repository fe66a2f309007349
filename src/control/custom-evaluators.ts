import { isDeepStrictEqual } from 'node:util'
import type {
  CustomDefinition,
  CustomEvaluator,
  CustomEvaluatorChange,
  CustomEvaluatorVersion,
} from '../domain/custom-evaluator.ts'
import { findUnknownPlaceholder } from '../domain/custom-evaluator.ts'
import { notFound } from '../domain/errors.ts'
import { slugFromName } from '../domain/slug.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { suggestedRule, type VerdictRule } from '../domain/verdict.ts'
import { findBuiltIn } from '../evaluators/catalogue.ts'
import { defined } from '../lib/defined.ts'
import { invalidInput } from '../lib/public-error.ts'
import type { CustomEvaluatorLimits } from '../ports/storage.ts'
import { refuseFull } from './limits.ts'
import type { ControlDeps } from './setups.ts'

/** Versions of one custom evaluator, which stay for as long as the organization. */
const VERSIONS_MAX = 1_000
/** How large a definition may be, in characters of its JSON text. */
const DEFINITION_CHARS_MAX = 65_536
/** How often a change is made anew because another one came in between. */
const ATTEMPTS_MAX = 5
/** The length of the suffix of a slug that was made from a name and is taken. */
const SUFFIX_CHARS = 8

/** A custom evaluator as a client describes it. */
export interface CustomEvaluatorDraft {
  readonly name: string
  /** Absent: made from the name. */
  readonly slug?: string
  readonly description: string
  readonly definition: CustomDefinition
  /** The rule for good answers; absent: the one that the outputs suggest. */
  readonly verdict?: VerdictRule
}

/**
 * Stores a new evaluator. A slug that was asked for is taken or refused; one made from the name gets a suffix where it is
 * taken, so that a name can be used twice.
 */
export async function createCustomEvaluator(
  deps: ControlDeps,
  tenant: OrgTenant,
  draft: CustomEvaluatorDraft,
): Promise<CustomEvaluator> {
  requireSound(draft.definition)
  const evaluatorId = deps.ids.newId()
  if (draft.slug !== undefined) return store(deps, tenant, evaluatorId, draft, draft.slug)
  const slug = slugFromName(draft.name)
  if (slug === '') throw invalidInput('slug is required when the name has no letter from a to z and no digit')
  const known = findBuiltIn(slug) ?? (await deps.storage.findCustomEvaluator(tenant, slug))
  if (!known) return store(deps, tenant, evaluatorId, draft, slug)
  const stem = slug.slice(0, 62 - SUFFIX_CHARS).replace(/-+$/, '')
  return store(deps, tenant, evaluatorId, draft, `${stem}-${evaluatorId.slice(-SUFFIX_CHARS)}`)
}

async function store(
  deps: ControlDeps,
  tenant: OrgTenant,
  evaluatorId: string,
  { name, description, definition, verdict }: CustomEvaluatorDraft,
  slug: string,
): Promise<CustomEvaluator> {
  if (findBuiltIn(slug)) throwBuiltInSlug(slug)
  const { storage, clock, ids } = deps
  const created = await storage.createCustomEvaluator(
    tenant,
    { evaluatorId, versionId: ids.newId(), slug, name, description, definition, ...defined({ verdict }) },
    clock.nowMs(),
    limitsFor(deps),
  )
  if (created === 'exists') throw invalidInput(`slug ${slug} already exists`)
  if (created === 'full') return refuseFull(deps, tenant, 'customEvaluators')
  return created
}

function limitsFor({ limits }: ControlDeps): CustomEvaluatorLimits {
  return { evaluatorsMax: limits?.customEvaluators ?? 0, versionsMax: VERSIONS_MAX }
}

/** Stands for the id of an evaluator that has none: the same question tried twice is the same question. */
const UNSAVED_ID = 'unsaved'

/** An evaluator as it would be stored, for trying it once; refused where its definition would be. */
export function unsavedEvaluator(
  { clock }: Pick<ControlDeps, 'clock'>,
  { name, slug, description, definition, verdict }: CustomEvaluatorDraft,
): CustomEvaluator {
  requireSound(definition)
  if (slug !== undefined && findBuiltIn(slug)) throwBuiltInSlug(slug)
  const nowMs = clock.nowMs()
  return {
    ...definition,
    verdict: verdict ?? suggestedRule(definition.outputSchema),
    evaluatorId: UNSAVED_ID,
    versionId: UNSAVED_ID,
    version: 1,
    slug: slug ?? slugFromName(name),
    name,
    description,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

/** The versions of the evaluator of that id or slug, the oldest first, or a `not found` error. */
export async function listCustomVersions(
  { storage }: ControlDeps,
  tenant: OrgTenant,
  name: string,
): Promise<readonly CustomEvaluatorVersion[]> {
  const { evaluatorId } = (await storage.findCustomEvaluator(tenant, name)) ?? throwEvaluatorNotFound()
  return storage.listCustomVersions(tenant, evaluatorId)
}

/** The evaluator of that id or slug, or a `not found` error. */
export async function getCustomEvaluator(
  { storage }: ControlDeps,
  tenant: OrgTenant,
  name: string,
  version?: string,
): Promise<CustomEvaluator> {
  const evaluator = await storage.findCustomEvaluator(tenant, name, version)
  return evaluator ?? throwEvaluatorNotFound()
}

/**
 * Changes an evaluator by id or slug and tells its versions. `changeFrom` says what is different from the version it is
 * given; it is asked again when another change came in between, so that neither is lost.
 */
export async function updateCustomEvaluator(
  deps: ControlDeps,
  tenant: OrgTenant,
  name: string,
  changeFrom: (current: CustomEvaluator) => CustomEvaluatorChange,
): Promise<{ readonly evaluator: CustomEvaluator; readonly versions: readonly CustomEvaluatorVersion[] }> {
  const { storage, clock, ids, onEvaluatorsChanged } = deps
  if (findBuiltIn(name)) throw invalidInput(`evaluator ${name} is built in and cannot be changed`)
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const current = (await storage.findCustomEvaluator(tenant, name)) ?? throwEvaluatorNotFound()
    const { definition, ...rest } = changeFrom(current)
    if (definition) requireSound(definition)
    const isNew = definition !== undefined && !isDeepStrictEqual(definition, definitionOf(current))
    const change = isNew ? { ...rest, newVersion: { versionId: ids.newId(), definition } } : rest
    const evaluator = await storage.changeCustomEvaluator(
      tenant,
      current,
      change,
      clock.nowMs(),
      limitsFor(deps),
    )
    if (evaluator === undefined) throwEvaluatorNotFound()
    if (evaluator === 'full') throw invalidInput(`an evaluator can have at most ${VERSIONS_MAX} versions`)
    if (evaluator === 'stale') continue
    if (isNew || change.verdict !== undefined) onEvaluatorsChanged?.()
    return { evaluator, versions: await storage.listCustomVersions(tenant, evaluator.evaluatorId) }
  }
  throw new Error(`evaluator ${name} was changed by others ${ATTEMPTS_MAX} times in a row`)
}

/** The behaviour of a version, without its name and description. */
export function definitionOf({
  provider,
  messages,
  modelConfig,
  inputSchema,
  outputSchema,
}: CustomDefinition): CustomDefinition {
  return { provider, messages, modelConfig, inputSchema, outputSchema }
}

/** Refuses what no single field shows: a placeholder without an input, and a definition that is too large as a whole. */
function requireSound(definition: CustomDefinition): void {
  const unknown = findUnknownPlaceholder(definition)
  if (unknown)
    throw invalidInput(
      `messages[${unknown.at}].content: {{${unknown.placeholder}}} is not in input_schema; placeholders are named after its fields`,
    )
  const chars = JSON.stringify(definition).length
  if (chars > DEFINITION_CHARS_MAX) {
    throw invalidInput(
      `messages, input_schema and output_schema together must be at most ${DEFINITION_CHARS_MAX} characters of JSON, not ${chars}`,
    )
  }
}

function throwBuiltInSlug(slug: string): never {
  throw invalidInput(`slug ${slug} is the name of a built-in evaluator`)
}

function throwEvaluatorNotFound(): never {
  throw notFound('evaluator not found')
}
