import { canonicalJson } from '../lib/canonical-json.ts'
import type { AttributeSource } from '../lib/otlp/span.ts'
import type { CanonicalField, EvaluationScope, EvaluatorRef } from './evaluator.ts'
import type { SelectorRule } from './selector.ts'
import type { EntryStatus, SetupStatus } from './setup-status.ts'

/** Where one input of an evaluator is taken from when the user says so: a canonical field or a named attribute. */
export interface InputMapping {
  readonly from:
    | { readonly field: CanonicalField }
    | { readonly source: AttributeSource; readonly key: string }
  readonly jsonPath?: string
  readonly regex?: string
}

/** A setup's changes to one evaluator; absent means the evaluator's own default. */
export interface EvaluatorOverride {
  readonly scope?: EvaluationScope
  readonly config?: Readonly<Record<string, unknown>>
  readonly mapping?: Readonly<Record<string, InputMapping>>
  /** Share of matching units to evaluate, 0 to 1. */
  readonly samplingRate?: number
  /**
   * From where on an answer passes, instead of the evaluator's own line. It changes no score, so it is not part of the definition that
   * versions keep.
   */
  readonly verdictThreshold?: number
}

/** One evaluator of a setup and how far its monitor has come. */
export interface SetupEntry extends EvaluatorRef {
  readonly override: EvaluatorOverride
  readonly status: EntryStatus
  readonly bindingId?: string
  readonly errorMessage?: string
  readonly processedAtMs?: number
  /** The scope of its monitor, as the setup says or as binding has chosen; absent until there is a monitor. */
  readonly boundScope?: EvaluationScope
}

/** A stored auto monitor setup. `version` counts changes of what it selects or evaluates, not every write. */
export interface Setup {
  readonly id: string
  readonly externalId: string
  readonly orgId: string
  readonly projectId: string
  readonly envProjectId: string
  readonly entityType: string
  readonly entityValue: string
  readonly selector: readonly SelectorRule[]
  readonly entries: readonly SetupEntry[]
  readonly status: SetupStatus
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** An evaluator together with what the setup changes about it. */
export interface EvaluatorConfig extends EvaluatorRef {
  readonly override: EvaluatorOverride
}

/** The fields that a client changes. An absent field stays as it is stored. */
export interface SetupChange {
  readonly evaluators?: readonly EvaluatorRef[]
  readonly evaluatorConfigs?: readonly EvaluatorConfig[]
  readonly selector?: readonly SelectorRule[]
  readonly entityType?: string
  readonly entityValue?: string
}

/** A change for a setup that may not exist yet; `id` is used only if it does not. */
export interface SetupDraft {
  readonly id: string
  readonly externalId: string
  readonly change: SetupChange
}

/** Where a new setup will live and when it was made. */
export interface SetupOrigin {
  readonly orgId: string
  readonly projectId: string
  readonly envProjectId: string
  readonly atMs: number
}

/** A setup that did not exist before: pending, with every entry pending. */
export function newSetup(draft: SetupDraft, origin: SetupOrigin): Setup {
  const { change } = draft
  return {
    id: draft.id,
    externalId: draft.externalId,
    orgId: origin.orgId,
    projectId: origin.projectId,
    envProjectId: origin.envProjectId,
    entityType: change.entityType ?? '',
    entityValue: change.entityValue ?? '',
    selector: change.selector ?? [],
    entries: pendingEntries([], change),
    status: 'pending',
    version: 1,
    createdAtMs: origin.atMs,
    updatedAtMs: origin.atMs,
  }
}

/**
 * The setup after a PUT or the bulk upsert of an existing one: given fields replace, the rest stays, and whatever it
 * was doing, it starts again as pending. Identity, owner and creation time never change.
 */
export function replaceSetup(current: Setup, change: SetupChange, atMs: number): Setup {
  const next = {
    ...current,
    entityType: change.entityType ?? current.entityType,
    entityValue: change.entityValue ?? current.entityValue,
    selector: change.selector ?? current.selector,
    entries: pendingEntries(current.entries, change),
    status: 'pending' as const,
    updatedAtMs: Math.max(atMs, current.updatedAtMs),
  }
  return sameDefinition(current, next) ? next : { ...next, version: current.version + 1 }
}

/** The part of a setup that decides what is scored and how; versions of it are immutable. */
export function definitionOf(setup: Setup): {
  selector: readonly SelectorRule[]
  evaluators: readonly EvaluatorConfig[]
} {
  return {
    selector: setup.selector,
    evaluators: setup.entries.map(({ slug, evaluatorId, override }) => {
      const { verdictThreshold: _, ...deciding } = override
      return { slug, evaluatorId, override: deciding }
    }),
  }
}

// Re-applying the same file on every deploy must not make a new version.
function sameDefinition(left: Setup, right: Setup): boolean {
  return canonicalJson(definitionOf(left)) === canonicalJson(definitionOf(right))
}

/**
 * The entries after a change. `evaluators` replaces the list; `evaluatorConfigs` replaces all overrides and adds what
 * is not listed; where only one of the two is given the other stays, as far as its evaluators are still listed.
 */
function pendingEntries(current: readonly SetupEntry[], change: SetupChange): SetupEntry[] {
  const overrides = new Map<string, EvaluatorOverride>(
    (change.evaluatorConfigs ?? current).map(({ slug, override }) => [slug, override]),
  )
  const listed = new Map<string, EvaluatorRef>()
  for (const ref of [...(change.evaluators ?? current), ...(change.evaluatorConfigs ?? [])]) {
    if (!listed.has(ref.slug)) listed.set(ref.slug, ref)
  }
  return [...listed.values()].map(({ slug, evaluatorId }) => ({
    slug,
    evaluatorId,
    override: overrides.get(slug) ?? {},
    status: 'pending',
  }))
}
