import { readShippedPackages, type ShippedPackage } from './shipped-packages.ts'

/** Licences under which a package may be shipped with this one. */
export const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  // Of fonts: they may be bundled with anything as long as their licence goes with them.
  'OFL-1.1',
  'Unlicense',
]

/** The licences of everything that is shipped, and what is wrong with them. */
export interface LicenceReport {
  readonly text: string
  readonly problems: readonly string[]
}

/** Reads the licences of all packages that lock files ship, and holds each against the list above. */
export function reportLicences(lockFiles: Readonly<Record<string, string>>): LicenceReport {
  const parts = Object.entries(lockFiles).map(
    ([part, lockFile]) => [part, readShippedPackages(lockFile).packages] as const,
  )
  const problems = parts.flatMap(([, packages]) => packages.flatMap(problemWith))
  const text = parts
    .map(([part, packages]) => `# Packages of the ${part}\n\n${tableOf(packages)}\n`)
    .join('\n')
  return { text, problems }
}

/** Whether an SPDX expression leaves a choice of allowed licences only. */
export function isAllowed(expression: string): boolean {
  const bare = expression.trim().replace(/^\(([^()]*)\)$/, '$1')
  if (/\bWITH\b|[()]/.test(bare)) return false
  return bare
    .split(/\s+OR\s+/)
    .some((choice) => choice.split(/\s+AND\s+/).every((licence) => ALLOWED_LICENCES.includes(licence)))
}

function problemWith({ name, version, licence }: ShippedPackage): string[] {
  if (licence === undefined) return [`${name}@${version} states no licence`]
  return isAllowed(licence) ? [] : [`${name}@${version} has the licence ${licence}, which is not on the list`]
}

function tableOf(packages: readonly ShippedPackage[]): string {
  const byLicence = Map.groupBy(packages, ({ licence }) => licence ?? 'none')
  const lines = [...byLicence]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, some]) => {
      const names = [...new Set(some.map(({ name, version }) => `${name}@${version}`))].sort()
      return `${licence} (${names.length}): ${names.join(', ')}`
    })
  return lines.join('\n')
}
