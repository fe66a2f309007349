import * as z from 'zod'
import type { NamedChange } from '../../../control/setups.ts'
import { newSetup, replaceSetup, type Setup } from '../../../domain/setup.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { firstFault } from '../../../evaluators/kit/parse-input.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute, type RouteDeps } from '../../route.ts'
import { dryRunOptions, dryRunOutput, toDryRunWindow, toWireDryRun } from './dry-run-wire.ts'
import { evaluatorsFor } from './setup-answers.ts'
import { checkSetup, checkShape, setupCreateInput, setupUpdateInput, toChange } from './setup-input.ts'

export const dryRunSetupRoute = defineRoute({
  method: 'POST',
  path: '/v2/auto-monitor-setups/dry-run',
  operationId: 'dryRunAutoMonitorSetup',
  tag: 'Auto monitor setups',
  summary: 'Try a setup on stored spans',
  description:
    'Says what a setup would do before it is stored: which spans it matches, what it gains and loses against the stored ' +
    'one of the same external id, what its evaluators would be given and what judges would cost. Writes nothing and asks ' +
    'no judge. For a stored setup fields may be left out as in an update.',
  access: 'read',
  body: z.intersection(setupCreateInput, dryRunOptions),
  bodyAs: 'object',
  success: { status: 200, description: 'What the setup would do.', schema: dryRunOutput },
  errors: { 429: 'Too many dry runs are under way.' },
  async handle({ principal, body, signal }, deps) {
    const options = firstFault(dryRunOptions, body)
    if ('message' in options) throw invalidInput(options.message)
    const setups = await setupsOf(deps, principal, body)
    const request = { ...setups, ...toDryRunWindow(options.value, deps.clock.nowMs()) }
    return toWireDryRun(request, await deps.dryRuns.run(principal, request, signal))
  },
})

/** The setup as it would be stored, and as it is stored now. */
async function setupsOf(
  deps: RouteDeps,
  principal: Principal,
  body: Record<string, unknown>,
): Promise<{ proposed: Setup; current?: Setup }> {
  const name = body['external_id']
  const current = typeof name === 'string' ? await deps.storage.getSetup(principal, name) : undefined
  const known = await evaluatorsFor(deps, principal, [body])
  const isPartial = current && (body['evaluators'] ?? body['evaluator_configs'] ?? null) === null
  const checked = isPartial ? checkUpdate(body, current.externalId, known) : checkSetup(body, known)
  if ('message' in checked) throw invalidInput(checked.message)
  const { externalId, change } = checked.value
  const atMs = deps.clock.nowMs()
  if (current) return { proposed: replaceSetup(current, change, atMs), current }
  const { orgId, projectId, envProjectId } = principal
  const draft = { id: deps.ids.newId(), externalId, change }
  return { proposed: newSetup(draft, { orgId, projectId, envProjectId, atMs }) }
}

function checkUpdate(
  body: unknown,
  externalId: string,
  known: Parameters<typeof toChange>[1],
): { value: NamedChange } | { message: string } {
  const shape = checkShape(setupUpdateInput, body)
  if ('message' in shape) return shape
  const change = toChange(shape.value, known)
  return 'message' in change ? change : { value: { externalId, change: change.value } }
}
