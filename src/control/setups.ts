import { conflict, notFound } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import type { Setup, SetupChange } from '../domain/setup.ts'
import type { EnvironmentTenant, OrgTenant, ProjectTenant } from '../domain/tenant.ts'
import { invalidInput } from '../lib/public-error.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdSource } from '../ports/ids.ts'
import type { SetupFilter, Storage } from '../ports/storage.ts'
import { refuseFull } from './limits.ts'

/** The dependencies of the control plane. */
export interface ControlDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: IdSource
  /** The limits of organizations without their own; absent: nothing is limited, as for the operator's commands. */
  readonly limits?: Limits
  /** Told when setups were created or replaced, so that they need not wait to be found. */
  readonly onSetupsChanged?: () => void
  /** Told when an evaluator or a judge is another than before, so that monitors go over to it. */
  readonly onEvaluatorsChanged?: () => void
  /** Told when the keys or the default judge of an organization were changed, so that the next question uses them. */
  readonly onJudgesChanged?: (tenant: OrgTenant) => void
  /** Told when a job was made, so that it need not wait to be found. */
  readonly onJobsChanged?: () => void
}

/** A setup as a client names it, before it has an id. */
export interface NamedChange {
  readonly externalId: string
  readonly change: SetupChange
}

/** Stores a new setup; refuses an external id that the project already uses. */
export async function createSetup(
  deps: ControlDeps,
  tenant: EnvironmentTenant,
  { externalId, change }: NamedChange,
): Promise<Setup> {
  const { storage, clock, ids, limits, onSetupsChanged } = deps
  const draft = { id: ids.newId(), externalId, change }
  const created = await storage.createSetup(tenant, draft, clock.nowMs(), limits?.setups)
  if (created === 'full') return refuseFull(deps, tenant, 'setups')
  if (created === 'exists') throw invalidInput(`external_id ${externalId} already exists`)
  onSetupsChanged?.()
  return created
}

/** Creates or replaces all of them or none. */
export async function upsertSetups(
  deps: ControlDeps,
  tenant: EnvironmentTenant,
  items: readonly NamedChange[],
): Promise<Setup[]> {
  const { storage, clock, ids, limits, onSetupsChanged } = deps
  const drafts = items.map((item) => ({ id: ids.newId(), ...item }))
  const setups = await storage.upsertSetups(tenant, drafts, clock.nowMs(), limits?.setups)
  if (setups === 'full') return refuseFull(deps, tenant, 'setups')
  onSetupsChanged?.()
  return setups
}

/** The setup of that external id, or a `not found` error. */
export async function getSetup(
  { storage }: ControlDeps,
  tenant: ProjectTenant,
  externalId: string,
): Promise<Setup> {
  return (await storage.getSetup(tenant, externalId)) ?? throwSetupNotFound()
}

/** The setups of a project, in order of creation. */
export function listSetups(
  { storage }: ControlDeps,
  tenant: ProjectTenant,
  filter: SetupFilter,
): Promise<Setup[]> {
  return storage.listSetups(tenant, filter)
}

/** Applies a change; the setup is processed again from `pending`. */
export async function updateSetup(
  { storage, clock, onSetupsChanged }: ControlDeps,
  tenant: ProjectTenant,
  { externalId, change }: NamedChange,
): Promise<Setup> {
  const setup = await storage.updateSetup(tenant, externalId, change, clock.nowMs())
  onSetupsChanged?.()
  return setup ?? throwSetupNotFound()
}

/** Removes a setup; its external id is free again. */
export async function deleteSetup(
  { storage, clock }: ControlDeps,
  tenant: ProjectTenant,
  externalId: string,
): Promise<void> {
  if (!(await storage.deleteSetup(tenant, externalId, clock.nowMs()))) throwSetupNotFound()
}

/** How long a deleted setup can be restored. */
export const RESTORE_HOURS_MAX = 24

/** Brings back a setup that was deleted a short while ago, with its monitors and their history. */
export async function restoreSetup(
  deps: ControlDeps,
  tenant: ProjectTenant,
  externalId: string,
): Promise<Setup> {
  const { storage, clock, limits, onSetupsChanged, onEvaluatorsChanged } = deps
  const atMs = clock.nowMs()
  const restored = await storage.restoreSetup(tenant, externalId, {
    deletedFromMs: atMs - RESTORE_HOURS_MAX * 3_600_000,
    atMs,
    ...(limits && { setupsMax: limits.setups }),
  })
  if (restored === 'full') return refuseFull(deps, tenant, 'setups')
  if (restored === 'exists') throw conflict(`external_id ${externalId} is used by another setup`)
  onSetupsChanged?.()
  // Evaluators and judges may have changed while its monitors stood still.
  onEvaluatorsChanged?.()
  return restored ?? throwSetupNotFound()
}

function throwSetupNotFound(): never {
  throw notFound('setup not found')
}
