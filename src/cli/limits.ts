import { parseArgs } from 'node:util'
import { openControl } from '../app/open-core.ts'
import { defaultLimitsOf } from '../config/limit-settings.ts'
import { readConfig } from '../config.ts'
import { LIMIT_FIELDS, putLimits } from '../control/limits.ts'
import type { ControlDeps } from '../control/setups.ts'
import {
  LIMIT_NAMES,
  type LimitName,
  type Limits,
  limitState,
  limitsOf,
  type OwnLimits,
} from '../domain/limits.ts'
import { UsageError } from './usage-error.ts'

const FIELDS = LIMIT_NAMES.map((name) => LIMIT_FIELDS[name])

/** `assay limits ...`: works on the store itself, also while the service runs, and needs no key. */
export async function runLimitsCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { values, positionals } = readArguments(args)
  const [action, ...changes] = positionals
  if (action !== 'list' && action !== 'set')
    throw new UsageError(action ? `unknown command limits ${action}` : 'limits needs list or set')
  if (action === 'list' && changes.length > 0) throw new UsageError(`limits list takes no ${changes[0]}`)
  if (action === 'set' && (values.org === undefined || changes.length === 0))
    throw new UsageError('limits set needs --org and at least one limit, for example setups=500')
  const parsed = changes.map(parseChange)

  const { config } = readConfig(env)
  const deps = await openControl(config)
  try {
    if (action === 'set') await change(deps, values.org ?? '', parsed)
    await list(deps, defaultLimitsOf(config), values.org)
  } finally {
    await deps.storage.close()
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { org: { type: 'string' } }, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** `setups=500`; `setups=default` goes back to the default of the installation. */
function parseChange(text: string): readonly [LimitName, number | undefined] {
  const [field = '', value = ''] = text.split('=', 2)
  const name = LIMIT_NAMES.find((known) => LIMIT_FIELDS[known] === field)
  if (!name) throw new UsageError(`unknown limit ${field}; the limits are ${FIELDS.join(', ')}`)
  if (value === 'default') return [name, undefined]
  const limit = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(limit))
    throw new UsageError(`${field} must be a whole number, 0 for no limit, or default`)
  return [name, limit]
}

/** Unlike the interface, which replaces all limits, this changes those that are named. */
async function change(
  deps: ControlDeps,
  orgId: string,
  changes: readonly (readonly [LimitName, number | undefined])[],
): Promise<void> {
  const limits: Partial<Record<LimitName, number>> = { ...(await deps.storage.readLimits({ orgId })) }
  for (const [name, limit] of changes) {
    if (limit === undefined) delete limits[name]
    else limits[name] = limit
  }
  await putLimits(deps, orgId, limits)
}

async function list({ storage }: ControlDeps, defaults: Limits, orgId: string | undefined): Promise<void> {
  for (const { orgId: id, name, limits, use } of await storage.system.listResourceUse()) {
    if (orgId !== undefined && id !== orgId) continue
    process.stdout.write(`${id}  ${name}\n${linesOf(limitsOf(defaults, limits), limits, use).join('')}`)
  }
}

function linesOf(limits: Limits, own: OwnLimits, use: Partial<Limits>): string[] {
  return LIMIT_NAMES.map((name) => {
    const limit = limits[name] === 0 ? 'no limit' : String(limits[name])
    const used = use[name] === undefined ? '' : `${use[name]} of `
    const marks = [
      ...(own[name] === undefined ? [] : ['set for this organization']),
      ...(limitState(use[name] ?? 0, limits[name]) === 'ok'
        ? []
        : [limitState(use[name] ?? 0, limits[name])]),
    ]
    return `  ${LIMIT_FIELDS[name].padEnd(20)} ${used}${limit}${marks.length > 0 ? `  (${marks.join(', ')})` : ''}\n`
  })
}
