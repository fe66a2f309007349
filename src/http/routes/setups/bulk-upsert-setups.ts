import * as z from 'zod'
import { type NamedChange, upsertSetups } from '../../../control/setups.ts'
import { invalidBulk } from '../../../domain/errors.ts'
import type { KnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { answerSetups, evaluatorsFor } from './setup-answers.ts'
import { checkSetup, setupCreateInput } from './setup-input.ts'
import { setupOutput } from './setup-output.ts'

const ITEMS_MAX = 100

export const bulkUpsertSetupsRoute = defineRoute({
  method: 'POST',
  path: '/v2/auto-monitor-setups/bulk',
  operationId: 'bulkUpsertAutoMonitorSetups',
  tag: 'Auto monitor setups',
  summary: 'Create or replace up to 100 setups',
  description: 'All of them or none. The answer has one entry per item, in the order of the request.',
  access: 'write',
  body: z.object({ setups: z.array(setupCreateInput).min(1).max(ITEMS_MAX) }).meta({ id: 'BulkSetupsInput' }),
  bodyAs: 'object',
  success: {
    status: 200,
    description: 'The stored setups.',
    schema: z.object({ setups: z.array(setupOutput) }),
  },
  errors: {
    403: 'The key lacks the scope, or the organization has as many as it may; the message says which.',
  },
  async handle({ principal, body }, deps) {
    const bodies = itemsOf(body)
    const items = checkItems(bodies, await evaluatorsFor(deps, principal, bodies))
    return { setups: await answerSetups(deps, principal, await upsertSetups(deps, principal, items)) }
  },
})

function itemsOf(body: unknown): readonly unknown[] {
  const setups = (Object(body) as { setups?: unknown }).setups ?? []
  if (!Array.isArray(setups)) throw invalidInput('setups must be an array')
  if (setups.length === 0) throw invalidBulk('setups must contain at least 1 item')
  if (setups.length > ITEMS_MAX) throw invalidBulk(`setups exceeds max of ${ITEMS_MAX}`)
  return setups
}

/**
 * Item by item, so that the first offending index decides whatever is wrong with it. (A rule about the whole array in
 * the schema would not even run when some item has already failed.)
 */
function checkItems(bodies: readonly unknown[], known: KnownEvaluators): NamedChange[] {
  const firstAt = new Map<string, number>()
  return bodies.map((body, at) => {
    const item = checkSetup(body, known)
    const externalId = 'value' in item ? item.value.externalId : externalIdOf(body)
    const earlier = externalId === undefined ? undefined : firstAt.get(externalId)
    if (earlier !== undefined) {
      throw invalidBulk(`setups[${at}]: duplicate external_id ${externalId} (also at setups[${earlier}])`)
    }
    if ('message' in item) throw invalidBulk(`setups[${at}]: ${item.message}`)
    firstAt.set(item.value.externalId, at)
    return item.value
  })
}

function externalIdOf(body: unknown): string | undefined {
  const { external_id } = Object(body) as { external_id?: unknown }
  return typeof external_id === 'string' ? external_id : undefined
}
