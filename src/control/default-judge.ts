import { notFound } from '../domain/errors.ts'
import type { ModelRef } from '../domain/judgement.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import type { ControlDeps } from './setups.ts'

/** Stores the model that judges for an organization where no setting of the service names one. */
export async function putDefaultJudge(
  { storage, clock, onJudgesChanged }: ControlDeps,
  tenant: OrgTenant,
  model: ModelRef,
): Promise<void> {
  await storage.putDefaultJudge(tenant, model, clock.nowMs())
  onJudgesChanged?.(tenant)
}

/** Goes back to the judge that there is without a choice. */
export async function deleteDefaultJudge(
  { storage, onJudgesChanged }: ControlDeps,
  tenant: OrgTenant,
): Promise<void> {
  if (!(await storage.deleteDefaultJudge(tenant))) throw notFound('the organization has chosen no judge')
  onJudgesChanged?.(tenant)
}
