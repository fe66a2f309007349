import { notFound } from '../domain/errors.ts'
import type { ProjectScope } from '../domain/tenant.ts'
import type { Budget, SpendTotals } from '../ports/judge-storage.ts'
import type { ControlDeps } from './setups.ts'

/** A budget and how much of it is used. */
export interface BudgetState {
  readonly budget: Budget
  readonly spent: SpendTotals
}

/** The budgets of a project and of its setups, with what was spent in the current UTC day and month. */
export async function listBudgets(
  { storage, clock }: ControlDeps,
  scope: ProjectScope,
): Promise<BudgetState[]> {
  const budgets = await storage.listBudgets(scope)
  const nowMs = clock.nowMs()
  return Promise.all(
    budgets.map(async (budget) => ({
      budget,
      spent: await storage.readSpend(scope, budget.externalId, nowMs),
    })),
  )
}

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
