import {
  DEFAULT_ENVIRONMENT,
  DEFAULT_PROJECT,
  DEFAULT_RETENTION_HOURS,
  KEY_PERMISSIONS,
  type Project,
} from '../domain/tenant.ts'
import { invalidInput } from '../lib/public-error.ts'
import type { NewOrganization } from '../ports/storage.ts'
import { draftKey, newSecret } from './api-keys.ts'
import type { ControlDeps } from './setups.ts'

/** A request for a new organization. */
export interface OrganizationRequest {
  readonly name: string
  readonly environments: readonly string[]
  readonly retentionHours: number
}

/** A new organization's key for one environment; the only time the secret is seen. */
export interface EnvironmentKey {
  readonly slug: string
  readonly secret: string
}

/** Creates an organization with a default project, its environments, and a key with every permission for each of them. */
export async function createOrganization(
  deps: ControlDeps,
  request: OrganizationRequest,
): Promise<{ orgId: string; keys: EnvironmentKey[] }> {
  const keys = request.environments.map((slug) => ({ slug, secret: newSecret() }))
  const draft = draftOrganization(deps, request, keys, false)
  if ((await deps.storage.system.createOrganization(draft)) === 'exists') {
    throw new Error('a random key collided with a stored one')
  }
  return { orgId: draft.organization.id, keys }
}

/** Creates what an empty store starts with; its keys may create organizations. False when the store is not empty. */
export async function createFirstOrganization(deps: ControlDeps, secret: string): Promise<boolean> {
  const request = {
    name: 'Default organization',
    environments: [DEFAULT_ENVIRONMENT],
    retentionHours: DEFAULT_RETENTION_HOURS,
  }
  const keys = [{ slug: DEFAULT_ENVIRONMENT, secret }]
  const draft = draftOrganization(deps, request, keys, true)
  return (await deps.storage.system.createOrganization(draft)) === 'created'
}

/** A project about to be stored. */
export function draftProject(
  { clock, ids }: ControlDeps,
  request: { readonly name: string; readonly slug: string; readonly environments: readonly string[] },
): Project {
  return {
    id: ids.newId(),
    name: request.name,
    slug: request.slug,
    environments: request.environments.map((slug) => ({ envProjectId: ids.newId(), slug })),
    createdAtMs: clock.nowMs(),
  }
}

/** Refuses a list of environments that names one twice. */
export function requireDistinct(environments: readonly string[], field: string): void {
  const at = environments.findIndex((slug, index) => environments.indexOf(slug) !== index)
  if (at >= 0) throw invalidInput(`${field}[${at}]: duplicate environment ${environments[at]}`)
}

function draftOrganization(
  deps: ControlDeps,
  request: OrganizationRequest,
  keys: readonly EnvironmentKey[],
  isOperator: boolean,
): NewOrganization {
  const project = draftProject(deps, {
    name: 'Default project',
    slug: DEFAULT_PROJECT,
    environments: request.environments,
  })
  return {
    organization: {
      id: deps.ids.newId(),
      name: request.name,
      isOperator,
      retentionHours: request.retentionHours,
      createdAtMs: deps.clock.nowMs(),
    },
    project,
    keys: keys.map(({ slug, secret }) =>
      draftKey(
        deps,
        { name: `${slug} key`, projectId: project.id, environment: slug, permissions: KEY_PERMISSIONS },
        secret,
      ),
    ),
  }
}
