import type { Principal } from '../domain/tenant.ts'
import type { Storage } from '../ports/storage.ts'

/** The environments of the caller's project: by slug, as clients name them, and by id, as the store does. */
export interface ProjectEnvironments {
  /** Undefined for one that is gone. */
  slugOf(envProjectId: string): string | undefined
  /** Those that exist; undefined where nothing was named, which means all. */
  idsOf(slugs: readonly string[] | undefined): string[] | undefined
}

/** Reads the environments of the caller's project. */
export async function readEnvironments(storage: Storage, principal: Principal): Promise<ProjectEnvironments> {
  const projects = await storage.listProjects(principal)
  const environments = projects.find(({ id }) => id === principal.projectId)?.environments ?? []
  const slugs = new Map(environments.map(({ envProjectId, slug }) => [envProjectId, slug]))
  return {
    slugOf: (envProjectId) => slugs.get(envProjectId),
    idsOf: (wanted) =>
      wanted &&
      environments.filter(({ slug }) => wanted.includes(slug)).map(({ envProjectId }) => envProjectId),
  }
}
