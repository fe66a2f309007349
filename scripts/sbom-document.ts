import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { purlOf, readShippedPackages, type ShippedPackage, shippedLockFiles } from './shipped-packages.ts'

/** A component of a CycloneDX document, as far as this project uses them. */
export interface SbomComponent {
  readonly type: 'application' | 'library' | 'machine-learning-model' | 'file'
  readonly 'bom-ref': string
  readonly name: string
  readonly version?: string
  readonly scope?: 'required' | 'optional'
  readonly purl?: string
  readonly hashes?: readonly { readonly alg: 'SHA-512' | 'SHA-256'; readonly content: string }[]
  readonly licenses?: readonly ({ license: { id: string } } | { expression: string })[]
  readonly components?: readonly SbomComponent[]
}

/** A CycloneDX 1.6 document. */
export interface SbomDocument {
  readonly $schema: string
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: '1.6'
  readonly serialNumber: string
  readonly version: 1
  readonly metadata: { readonly timestamp?: string; readonly component: SbomComponent }
  readonly components: readonly SbomComponent[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** The shipped components as CycloneDX; the same tree gives the same document unless a time is given. */
export function buildSbom(root: string, timestamp?: string): SbomDocument {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license: string
  }
  const own: SbomComponent = {
    type: 'application',
    'bom-ref': purlOf(name, version),
    name,
    version,
    purl: purlOf(name, version),
    licenses: licencesOf(license),
  }
  const { service, dashboard } = shippedLockFiles(root)
  const locked = [readShippedPackages(service), readShippedPackages(dashboard)]
  const packages = uniquePackages(locked.flatMap(({ packages }) => packages))
  const models = describeModels(root, version, license)
  const document = {
    components: [...packages.map(describePackage), ...models],
    dependencies: [
      {
        ref: own['bom-ref'],
        dependsOn: sorted([
          ...locked.flatMap(({ needs }) => needs),
          ...models.map((model) => model['bom-ref']),
        ]),
      },
      ...packages.map((shipped) => ({ ref: refOf(shipped), dependsOn: sorted(shipped.needs) })),
      ...models.map((model) => ({ ref: model['bom-ref'], dependsOn: [] })),
    ],
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf(JSON.stringify([own, document])),
    version: 1,
    metadata: { ...(timestamp === undefined ? {} : { timestamp }), component: own },
    ...document,
  }
}

function describePackage(shipped: ShippedPackage): SbomComponent {
  const { name, version, licence, integrity, isOptional } = shipped
  return {
    type: 'library',
    'bom-ref': refOf(shipped),
    name,
    version,
    scope: isOptional ? 'optional' : 'required',
    purl: refOf(shipped),
    ...(integrity?.startsWith('sha512-')
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
      : {}),
    ...(licence === undefined ? {} : { licenses: licencesOf(licence) }),
  }
}

/** The bundled models, each with the digest of every file that it consists of. */
function describeModels(root: string, version: string, licence: string): SbomComponent[] {
  const folder = path.join(root, 'models')
  const files = globSync('*/*', { cwd: folder }).filter((file) => !file.endsWith('.md'))
  const byModel = Map.groupBy(files.sort(), (file) => path.dirname(file))
  return [...byModel].map(([name, parts]) => ({
    type: 'machine-learning-model',
    'bom-ref': `model:${name}`,
    name,
    version,
    licenses: licencesOf(licence),
    components: parts.map((part) => ({
      type: 'file',
      'bom-ref': `model:${part.split(path.sep).join('/')}`,
      name: path.basename(part),
      hashes: [
        {
          alg: 'SHA-256',
          content: createHash('sha256')
            .update(readFileSync(path.join(folder, part)))
            .digest('hex'),
        },
      ],
    })),
  }))
}

function licencesOf(licence: string): NonNullable<SbomComponent['licenses']> {
  return /[ ()]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]
}

/** The service and the dashboard may have the same package; it is one component. */
function uniquePackages(packages: readonly ShippedPackage[]): ShippedPackage[] {
  const byRef = new Map(packages.map((shipped) => [refOf(shipped), shipped]))
  return [...byRef.values()].sort((a, b) => (refOf(a) < refOf(b) ? -1 : 1))
}

function refOf({ name, version }: ShippedPackage): string {
  return purlOf(name, version)
}

function sorted(refs: readonly string[]): string[] {
  return [...new Set(refs)].sort()
}

/** A UUID made of the content, so that the same content has the same number. */
function serialNumberOf(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
