import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { isPinned, pinImages, unpinnedImages } from '../../scripts/pin-images.ts'
import { SETTINGS } from '../../src/config.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const manifest = read('deploy/kubernetes/assay.yaml')
const parts = manifest.split('\n---\n')
const ofKind = (kind: string) => parts.filter((part) => new RegExp(`^kind: ${kind}$`, 'm').test(part))
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`
const IMAGE = `registry.example:5000/team/assay@${DIGEST}`

describe('a pod', () => {
  const deployments = ofKind('Deployment')

  test('gets no token of the Kubernetes API and no variables of services', () => {
    assert.equal(deployments.length, 3)
    for (const deployment of deployments) {
      assert.match(deployment, /^ {6}automountServiceAccountToken: false$/m)
      assert.match(deployment, /^ {6}enableServiceLinks: false$/m)
    }
  })

  test('runs as a user without rights, on a file system that cannot be written', () => {
    for (const deployment of deployments) {
      assert.match(deployment, /runAsNonRoot: true, runAsUser: [1-9]\d*, runAsGroup: [1-9]\d*/)
      assert.match(deployment, /seccompProfile: { type: RuntimeDefault }/)
      assert.match(deployment, /allowPrivilegeEscalation: false, readOnlyRootFilesystem: true/)
      assert.match(deployment, /capabilities: { drop: \[ALL\] }/)
    }
  })
})

describe('the network', () => {
  const policies = ofKind('NetworkPolicy')
  const policyOf = (name: string) => policies.find((part) => part.includes(`name: ${name},`)) ?? ''

  test('lets requests in only on the ports of each role', () => {
    const portsOf = (name: string) => all(policyOf(name), /protocol: TCP, port: ([a-z-]+)/g)
    assert.deepEqual(portsOf('assay-ingest'), ['http', 'otlp-grpc'])
    assert.deepEqual(portsOf('assay-api'), ['http'])
    assert.deepEqual(portsOf('assay-worker'), ['http'])
    assert.match(policyOf('assay-worker'), /from: \[{ namespaceSelector/)
    for (const role of ['ingest', 'api', 'worker']) {
      assert.match(
        policyOf(`assay-${role}`),
        new RegExp(`podSelector: { matchLabels: { app: assay, role: ${role} } }`),
      )
      assert.match(policyOf(`assay-${role}`), /policyTypes: \[Ingress\]/)
    }
  })

  test('lets every pod reach names, PostgreSQL and NATS, and nothing else', () => {
    const egress = policyOf('assay-egress')
    assert.match(egress, /podSelector: { matchLabels: { app: assay } }/)
    assert.match(egress, /policyTypes: \[Egress\]/)
    assert.deepEqual(all(egress, /port: (\d+)/g), ['53', '53', '5432', '4222'])
    const natsPort = /ASSAY_NATS_URL: nats:\/\/[^:]+:(\d+)/.exec(manifest)?.[1]
    assert.ok(all(egress, /port: (\d+)/g).includes(natsPort ?? ''), 'the port of ASSAY_NATS_URL')
  })

  test('lets only what asks judges reach providers, and no private address', () => {
    const providers = policyOf('assay-providers')
    assert.match(providers, /values: \[worker, api\]/)
    assert.deepEqual(all(providers, /port: (\d+)/g), ['443'])
    for (const range of [
      '10.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
      'fc00::/7',
      'fe80::/10',
    ])
      assert.ok(providers.includes(range), range)
  })

  test('has no policy that is not looked at here', () => {
    assert.equal(policies.length, 5)
  })
})

describe('an image', () => {
  test('is named by its digest or not at all', () => {
    for (const good of [IMAGE, `assay@${DIGEST}`]) assert.ok(isPinned(good), good)
    for (const bad of [
      '',
      'assay',
      'assay:1.0',
      `assay@${DIGEST}0`,
      `assay@${DIGEST.slice(0, -1)}`,
      `@${DIGEST}`,
      `a b@${DIGEST}`,
    ])
      assert.ok(!isPinned(bad), bad)
  })

  test('of another name keeps its tag, and that is told', () => {
    const text = 'x:\n  build: .\n  image: assay\ny:\n  image: nats:2.11-alpine\n'
    const pinned = pinImages(text, { assay: IMAGE })
    assert.equal(pinned, `x:\n  image: ${IMAGE}\ny:\n  image: nats:2.11-alpine\n`)
    assert.deepEqual(unpinnedImages(pinned), ['nats:2.11-alpine'])
    assert.deepEqual(unpinnedImages(pinImages(pinned, { nats: `nats@${DIGEST}` })), [])
    assert.throws(() => pinImages(text, { assay: 'assay:latest' }), /must be name@sha256/)
  })

  test('is what the kustomization gives a value to', () => {
    const kustomization = read('deploy/kubernetes/kustomization.yaml')
    assert.match(kustomization, /^resources: \[assay\.yaml\]$/m)
    const [name] = all(kustomization, /^ {2}- name: (\S+)$/gm)
    assert.deepEqual(unpinnedImages(manifest), [name])
  })
})

describe('the files of a release', () => {
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/release.ts', ...args], { cwd: root, encoding: 'utf8' })

  test('name every image by the digest that was given', () => {
    const out = temporaryDirectory()
    const pins = ['--postgres', `postgres@${DIGEST}`, '--nats', `nats@${DIGEST}`]
    execFileSync(process.execPath, ['scripts/release.ts', '--image', IMAGE, ...pins, '--out', out], {
      cwd: root,
    })
    for (const [file, count] of [
      ['compose.yaml', 1],
      ['deploy/kubernetes/assay.yaml', 3],
    ] as const) {
      const text = readFileSync(path.join(out, file), 'utf8')
      assert.deepEqual(unpinnedImages(text), [], file)
      assert.equal(text.split(IMAGE).length - 1, count, file)
      assert.doesNotMatch(text, /build:/)
    }
    for (const file of ['LICENCES.txt', 'sbom.cdx.json', 'deploy/nats/nats.conf'])
      assert.ok(existsSync(path.join(out, file)), file)
  })

  test('are not written for an image that can change', () => {
    const out = path.join(temporaryDirectory(), 'out')
    const { status, stderr } = release('--image', 'registry.example/assay:1.0', '--out', out)
    assert.equal(status, 1)
    assert.match(stderr, /--image must be <name>@sha256:/)
    assert.ok(!existsSync(out))
  })

  test('say which images can still change', () => {
    const { status, stderr } = release('--image', IMAGE, '--out', temporaryDirectory())
    assert.equal(status, 0, stderr)
    assert.match(stderr, /compose\.yaml: nats:\S+, postgres:\S+ can still change/)
  })
})

test('the ports of the policies are those that are listened on', () => {
  const ports = [SETTINGS.port.defaultText, SETTINGS.otlpGrpcPort.defaultText]
  assert.deepEqual(new Set(all(manifest, /containerPort: (\d+)/g)), new Set(ports))
})

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole)
}
