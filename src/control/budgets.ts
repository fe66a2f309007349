import { notFound } from '../domain/errors.ts'
import type { ProjectScope } from '../domain/tenant.ts'
import type { Budget, BudgetState } from '../ports/judge-storage.ts'
import type { ControlDeps } from './setups.ts'

/** Sets the budget of the project, or of the setup of that external id. */
export async function putBudget(
  { storage, clock }: ControlDeps,
  scope: ProjectScope,
  limits: Omit<Budget, 'updatedAtMs'>,
): Promise<BudgetState> {
  const nowMs = clock.nowMs()
  const budget = { ...limits, updatedAtMs: nowMs }
  if (!(await storage.putBudget(scope, budget))) throw notFound('setup not found')
  return { budget, spent: await storage.readSpend(scope, limits.externalId, nowMs) }
}

/** Removes a budget: what it limited is unlimited again. */
export async function deleteBudget(
  { storage }: ControlDeps,
  scope: ProjectScope,
  externalId: string | undefined,
): Promise<void> {
  if (!(await storage.deleteBudget(scope, externalId))) throw notFound('budget not found')
}
