import { notFound } from '../domain/errors.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { Budget, BudgetState } from '../ports/judge-storage.ts'
import type { ControlDeps } from './setups.ts'

/** Sets the budget of the project, or of the setup of that external id. */
export async function putBudget(
  { storage, clock }: ControlDeps,
  tenant: ProjectTenant,
  limits: Omit<Budget, 'updatedAtMs'>,
): Promise<BudgetState> {
  const nowMs = clock.nowMs()
  const budget = { ...limits, updatedAtMs: nowMs }
  if (!(await storage.putBudget(tenant, budget))) throw notFound('setup not found')
  return { budget, spent: await storage.readSpend(tenant, limits.externalId, nowMs) }
}

/** Removes a budget: what it limited is unlimited again. */
export async function deleteBudget(
  { storage }: ControlDeps,
  tenant: ProjectTenant,
  externalId: string | undefined,
): Promise<void> {
  if (!(await storage.deleteBudget(tenant, externalId))) throw notFound('budget not found')
}
