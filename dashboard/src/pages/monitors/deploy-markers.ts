import type { components } from '../../api/schema.gen.ts'

type Deployment = components['schemas']['Deployment']

/** The markers of deployments, of the given applications only. The first version that is known is no deployment. */
export function deployMarkers(
  deployments: readonly Deployment[],
  applications: readonly (string | null)[],
): { atMs: number; label: string }[] {
  const shown = deployments.filter(
    ({ application, previous_version: previous }) =>
      previous !== undefined && applications.includes(application),
  )
  const isOne = new Set(shown.map(({ application }) => application)).size === 1
  return shown
    .map(({ application, version, first_seen_at }) => ({
      atMs: Date.parse(first_seen_at),
      label: isOne ? `Deploy ${version}` : `Deploy ${application} ${version}`,
    }))
    .toSorted((left, right) => left.atMs - right.atMs)
}
