import * as z from 'zod'
import { type ApiKey, KEY_PERMISSIONS, type Project, SLUG_PATTERN } from '../../../domain/tenant.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

export const NAME_CHARS_MAX = 255

/** A project or environment slug. */
export const slugText = z
  .string()
  .regex(SLUG_PATTERN, 'must be 1 to 63 lower-case letters, digits or inner hyphens')
export const environmentSlug = slugText.describe('Environment, for example `prd`.')

/** A project as the interface shows it. */
export const projectOutput = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    environments: z.array(z.object({ env_project_id: z.string(), slug: z.string() })),
    created_at: timestamp,
  })
  .meta({ id: 'Project' })

/** A project in the form of the wire. */
export function toWireProject(project: Project): z.output<typeof projectOutput> {
  return {
    id: project.id,
    name: project.name,
    slug: project.slug,
    environments: project.environments.map(({ envProjectId, slug }) => ({
      env_project_id: envProjectId,
      slug,
    })),
    created_at: toTimestamp(project.createdAtMs),
  }
}

const apiKeyFields = {
  id: z.string(),
  name: z.string(),
  hint: z.string().describe('The last characters of the key.'),
  project_id: z.string(),
  env_project_id: z.string(),
  environment: z.string(),
  scopes: z.array(z.enum(KEY_PERMISSIONS)),
  created_at: timestamp,
  revoked_at: timestamp.optional().describe('Absent while the key works.'),
}

/** A key as the interface shows it; never its secret. */
export const apiKeyOutput = z.object(apiKeyFields).meta({ id: 'ApiKey' })

/** A key at the moment it is made, with its secret. */
export const apiKeyCreatedOutput = z
  .object({ ...apiKeyFields, api_key: z.string().describe('The key itself, shown this once.') })
  .meta({ id: 'ApiKeyCreated' })

/** A key in the form of the wire. */
export function toWireApiKey(key: ApiKey): z.output<typeof apiKeyOutput> {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    project_id: key.projectId,
    env_project_id: key.envProjectId,
    environment: key.environment,
    scopes: [...key.permissions],
    created_at: toTimestamp(key.createdAtMs),
    ...(key.revokedAtMs === undefined ? {} : { revoked_at: toTimestamp(key.revokedAtMs) }),
  }
}
