import * as z from 'zod'
import { deleteBudget, putBudget } from '../../../control/budgets.ts'
import { defined } from '../../../lib/defined.ts'
import type { BudgetState } from '../../../ports/judge-storage.ts'
import { listBudgets } from '../../../query/list-budgets.ts'
import { defineRoute } from '../../route.ts'
import { requiredName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toMicros, toUsd } from '../../wire/usd.ts'
import { EXTERNAL_ID_CHARS_MAX } from '../setups/setup-input.ts'

const TAG = 'Judges'
const USD_MAX = 1_000_000

const budgetOutput = z
  .object({
    external_id: z.string().optional().describe('The setup; absent: the whole project.'),
    day_usd: z.number().optional().describe('Absent: no limit.'),
    month_usd: z.number().optional().describe('Absent: no limit.'),
    spent_day_usd: z.number().describe('In the current UTC day. Calls of unknown price are not in it.'),
    spent_month_usd: z.number().describe('In the current UTC month. Calls of unknown price are not in it.'),
    updated_at: timestamp,
  })
  .meta({ id: 'Budget' })

const externalId = requiredName(EXTERNAL_ID_CHARS_MAX).optional()
const usd = z.number().min(0).max(USD_MAX).optional()

export const listBudgetsRoute = defineRoute({
  method: 'GET',
  path: '/v2/budgets',
  operationId: 'listBudgets',
  tag: TAG,
  summary: 'List the budgets of the project',
  access: 'read',
  success: {
    status: 200,
    description: 'The budget of the project first, then those of its setups, and how much of each is used.',
    schema: z.object({ budgets: z.array(budgetOutput) }),
  },
  async handle({ principal }, deps) {
    return { budgets: (await listBudgets(deps, principal)).map(toWireBudget) }
  },
})

export const putBudgetRoute = defineRoute({
  method: 'PUT',
  path: '/v2/budgets',
  operationId: 'putBudget',
  tag: TAG,
  summary: 'Limit what judges may cost',
  description:
    'In a UTC day, a UTC month, or both; of the project or of one of its setups. It replaces the budget that was there. When ' +
    'it is spent, nothing more is judged: monitors record `over_budget`, and an execute call is answered 429.',
  access: 'admin',
  body: z
    .object({
      external_id: externalId.describe('The setup; absent: the whole project.'),
      day_usd: usd,
      month_usd: usd,
    })
    .refine(({ day_usd, month_usd }) => day_usd !== undefined || month_usd !== undefined, {
      error: 'is required unless month_usd is given',
      path: ['day_usd'],
    })
    .meta({ id: 'BudgetInput' }),
  success: { status: 200, description: 'The budget.', schema: budgetOutput },
  errors: { 404: 'The project has no such setup.' },
  async handle({ principal, body }, deps) {
    const state = await putBudget(deps, principal, {
      ...defined({ externalId: body.external_id }),
      ...(body.day_usd === undefined ? {} : { dayMicros: toMicros(body.day_usd) }),
      ...(body.month_usd === undefined ? {} : { monthMicros: toMicros(body.month_usd) }),
    })
    return toWireBudget(state)
  },
})

export const deleteBudgetRoute = defineRoute({
  method: 'DELETE',
  path: '/v2/budgets',
  operationId: 'deleteBudget',
  tag: TAG,
  summary: 'Remove a budget',
  access: 'admin',
  query: z.object({ external_id: externalId.describe('The setup; absent: the whole project.') }),
  success: { status: 204, description: 'There is no such limit any more.' },
  errors: { 404: 'There is no such budget.' },
  handle: ({ principal, query }, deps) => deleteBudget(deps, principal, query.external_id),
})

function toWireBudget({ budget, spent }: BudgetState) {
  const { externalId: setup, dayMicros, monthMicros, updatedAtMs } = budget
  return {
    ...defined({ external_id: setup }),
    ...(dayMicros === undefined ? {} : { day_usd: toUsd(dayMicros) }),
    ...(monthMicros === undefined ? {} : { month_usd: toUsd(monthMicros) }),
    spent_day_usd: toUsd(spent.dayMicros),
    spent_month_usd: toUsd(spent.monthMicros),
    updated_at: toTimestamp(updatedAtMs),
  }
}
