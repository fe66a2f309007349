import type { ProjectTenant } from '../domain/tenant.ts'
import type { BudgetState } from '../ports/judge-storage.ts'
import type { QueryDeps } from './query-deps.ts'

/** The budgets of a project and of its setups, with what was spent in the current UTC day and month. */
export async function listBudgets(
  { storage, clock }: QueryDeps,
  tenant: ProjectTenant,
): Promise<BudgetState[]> {
  const budgets = await storage.listBudgets(tenant)
  const nowMs = clock.nowMs()
  return Promise.all(
    budgets.map(async (budget) => ({
      budget,
      spent: await storage.readSpend(tenant, budget.externalId, nowMs),
    })),
  )
}
