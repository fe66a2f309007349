import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { isAllowed, reportLicences } from '../scripts/licence-report.ts'
import { buildSbom, type SbomComponent } from '../scripts/sbom-document.ts'
import { readShippedPackages, shippedLockFiles } from '../scripts/shipped-packages.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const root = path.dirname(import.meta.dirname)
const { version, dependencies, optionalDependencies, devDependencies } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
) as { version: string } & Record<string, Record<string, string>>

/** Types that packages of the dashboard name as optional peers; no package depends on them. */
const PEERS = /^pkg:npm\/(%40types\/react|csstype)@/

test('every platform is brought the same Node.js, which the launcher takes for recent enough', () => {
  const versions = new Set(
    Object.entries(optionalDependencies ?? {}).flatMap(([name, its]) => (/^node-/.test(name) ? [its] : [])),
  )
  assert.equal(versions.size, 1)
  const launcher = readFileSync(path.join(root, 'bin/bundled-node.mjs'), 'utf8')
  assert.equal([...versions][0]?.split('.')[0], /REQUIRED_MAJOR = (\d+)/.exec(launcher)?.[1])
})

describe('the SBOM', () => {
  const sbom = buildSbom(root)
  const byRef = new Map(sbom.components.map((component) => [component['bom-ref'], component]))
  const names = new Set(sbom.components.map(({ name }) => name))

  test('is CycloneDX 1.6 about this version, with unique references', () => {
    assert.equal(sbom.bomFormat, 'CycloneDX')
    assert.equal(sbom.specVersion, '1.6')
    assert.match(
      sbom.serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    assert.equal(sbom.metadata.component.purl, `pkg:npm/assay@${version}`)
    assert.equal(byRef.size, sbom.components.length)
  })

  test('has everything that is installed and bundled, and nothing that is only for development', () => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }))
      assert.ok(names.has(name), name)
    for (const name of ['react', 'react-dom', 'uplot']) assert.ok(names.has(name), name)
    for (const name of [...Object.keys(devDependencies ?? {}), 'vite']) assert.ok(!names.has(name), name)
  })

  test('has the digest of every package and of every file of every model', () => {
    const libraries = sbom.components.filter(({ type }) => type === 'library')
    assert.ok(libraries.length > 80)
    for (const { name, purl, hashes } of libraries) {
      assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, name)
      assert.match(purl ?? '', /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/, name)
    }
    const models = sbom.components.filter(({ type }) => type === 'machine-learning-model')
    const files = models.flatMap(({ components }) => components ?? [])
    const shipped = globSync('models/*/*', { cwd: root }).filter((file) => !file.endsWith('.md'))
    assert.deepEqual(files.map(fileOf).sort(), shipped.sort())
    for (const file of files) {
      const digest = createHash('sha256')
        .update(readFileSync(path.join(root, fileOf(file))))
        .digest('hex')
      assert.equal(file.hashes?.[0]?.content, digest, fileOf(file))
    }
  })

  test('depends only on what it has, and reaches all of it', () => {
    const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const reached = new Set<string>()
    const visit = (ref: string) => {
      if (reached.has(ref)) return
      reached.add(ref)
      const needs = edges.get(ref)
      assert.ok(needs, `${ref} has no entry`)
      for (const need of needs) visit(need)
    }
    visit(sbom.metadata.component['bom-ref'])
    const unreached = [...byRef.keys()].filter((ref) => !reached.has(ref))
    assert.deepEqual(
      unreached.filter((ref) => !PEERS.test(ref)),
      [],
    )
  })

  test('is the same each time, and has a time only if one is given', () => {
    assert.deepEqual(buildSbom(root), sbom)
    assert.equal(sbom.metadata.timestamp, undefined)
    const at = '2026-01-02T03:04:05Z'
    assert.equal(buildSbom(root, at).metadata.timestamp, at)
  })
})

describe('the licence report', () => {
  test('finds nothing to object to', () => {
    const { problems, text } = reportLicences(shippedLockFiles(root))
    assert.deepEqual(problems, [])
    assert.match(text, /^MIT \(\d+\): /m)
  })

  test('has the font of the dashboard, which the notice names too', () => {
    const { text } = reportLicences(shippedLockFiles(root))
    assert.match(text, /^OFL-1\.1 \(1\): @fontsource-variable\/inter@/m)
    assert.match(readFileSync(path.join(root, 'NOTICE'), 'utf8'), /font Inter \(SIL Open Font License 1\.1/)
  })

  test('objects to a licence that is not on the list, and to none at all', () => {
    const copy = temporaryDirectory()
    const packages = {
      '': {},
      'node_modules/free': { version: '1.0.0', license: 'MIT' },
      'node_modules/copyleft': { version: '2.0.0', license: 'AGPL-3.0-only' },
      'node_modules/silent': { version: '3.0.0' },
      'node_modules/tool': { version: '4.0.0', license: 'GPL-3.0', dev: true },
    }
    writeFileSync(path.join(copy, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }))
    const names = readShippedPackages(path.join(copy, 'package-lock.json')).packages.map(({ name }) => name)
    assert.deepEqual(names, ['free', 'copyleft', 'silent'])
    const { problems } = reportLicences({ service: path.join(copy, 'package-lock.json') })
    assert.deepEqual(problems, [
      'copyleft@2.0.0 has the licence AGPL-3.0-only, which is not on the list',
      'silent@3.0.0 states no licence',
    ])
  })

  test('understands expressions', () => {
    for (const good of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC', 'GPL-2.0 OR Apache-2.0 AND MIT'])
      assert.ok(isAllowed(good), good)
    for (const bad of [
      'GPL-3.0',
      'MIT AND GPL-3.0',
      'SEE LICENSE IN x',
      'Apache-2.0 WITH LLVM-exception',
      '',
    ])
      assert.ok(!isAllowed(bad), bad)
  })
})

function fileOf(component: SbomComponent): string {
  return component['bom-ref'].replace(/^model:/, 'models/')
}
