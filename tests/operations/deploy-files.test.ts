import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { bodyBytesFor } from '../../src/app/open-edge.ts'
import { ROLES } from '../../src/config/store-settings.ts'
import { readConfig, SETTINGS } from '../../src/config.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { ROUTES } from '../../src/http/routes.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const IMAGE = 'Dockerfile'
const COMPOSE = 'compose.yaml'
const MANIFEST = 'deploy/kubernetes/assay.yaml'
const ADAPTER = 'deploy/prometheus-adapter-values.yaml'
const FILES = [IMAGE, COMPOSE, ...globSync('deploy/**/*.{yaml,conf}', { cwd: root })]

const PORTS = [SETTINGS.port.defaultText, SETTINGS.otlpGrpcPort.defaultText]
const SHUTDOWN_MS = Number(SETTINGS.shutdownMs.defaultText)

describe('what is deployed', () => {
  for (const file of FILES) {
    test(`${file} names only settings that there are`, () => {
      const names = new Set(Object.values(SETTINGS).map(({ name }) => name))
      for (const name of all(read(file), /\bASSAY_[A-Z_]+\b/g)) assert.ok(names.has(name), name)
    })

    test(`${file} starts only roles that there are`, () => {
      for (const role of all(read(file), /--role"?,? "?(\w+)/g))
        assert.ok(ROLES.includes(role as never), role)
    })

    test(`${file} is indented with spaces, and closes what it opens`, () => {
      const lines = read(file).split('\n')
      for (const [at, line] of lines.entries()) assert.doesNotMatch(line, /^\s*\t/, `${file}:${at + 1}`)
      const code = lines.map((line) => line.replace(/(^|\s)#.*/, '')).join('\n')
      for (const [open, close] of ['{}', '[]']) {
        assert.equal(
          code.split(open as string).length,
          code.split(close as string).length,
          `${open} ${close}`,
        )
      }
    })
  }

  test('the settings can be read', () => {
    const placed = { POSTGRES_PASSWORD: 'secret', ASSAY_API_KEY: 'key-0123456789abcdef' }
    const ofCompose = settingsIn(read(COMPOSE), placed)
    const ofManifest = { ...settingsIn(read(MANIFEST)), ASSAY_DATABASE_URL: 'postgres://assay@db/assay' }
    const ofImage = Object.fromEntries(
      [...(/^ENV (.*)$/m.exec(read(IMAGE))?.[1] ?? '').matchAll(/(\S+)=(\S+)/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    )
    for (const settings of [ofCompose, ofManifest, ofImage]) {
      assert.ok(Object.keys(settings).length >= 4, JSON.stringify(settings))
      assert.deepEqual(readConfig(settings).warnings, [])
    }
    assert.deepEqual(readConfig(ofCompose).config.natsUrl?.length, 3)
  })
})

describe('memory', () => {
  // Memory beside the bodies, as docs/decisions/0020-limits-at-the-edge.md measures it.
  const REST_BYTES = 500 * 1_048_576
  const UNITS: Readonly<Record<string, number>> = { g: 1_073_741_824, Gi: 1_073_741_824, Mi: 1_048_576 }
  const limits = [
    ...read(COMPOSE).matchAll(/mem_limit: (\d+)(\w+)/g),
    ...read(MANIFEST).matchAll(/limits: \{ memory: (\d+)(\w+) \}/g),
  ].map(([, count, unit = '']) => Number(count) * (UNITS[unit] ?? Number.NaN))

  test('is enough for the service and for bodies that are announced and never sent', () => {
    assert.equal(limits.length, 6)
    for (const limit of limits) {
      assert.ok(
        bodyBytesFor(limit, Number(SETTINGS.bodyBytesMax.defaultText)) + REST_BYTES < limit,
        `${limit}`,
      )
    }
  })
})

describe('the image', () => {
  const copies = [...read(IMAGE).matchAll(/^COPY (?!--from)(.+)$/gm)].map(([, args = '']) => args.split(' '))
  const ignored = read('.dockerignore').split('\n').filter(Boolean)

  test('is made of files that there are and that are not left out of it', () => {
    assert.ok(copies.length > 0)
    for (const source of copies.flatMap((args) => args.slice(0, -1))) {
      assert.ok(existsSync(path.join(root, source)), source)
      assert.ok(!ignored.some((pattern) => path.matchesGlob(source, pattern)), `${source} is ignored`)
    }
  })

  test('has what the package ships for running', () => {
    const copied = copies.flatMap((args) => args.slice(0, -1))
    for (const needed of ['bin', 'models', 'package.json', 'src', 'scripts/build.ts']) {
      assert.ok(copied.includes(needed), needed)
    }
    assert.match(read(IMAGE), /^ENTRYPOINT \["node", "bin\/assay\.mjs"\]$/m)
    assert.ok(existsSync(path.join(root, 'bin/assay.mjs')))
  })

  test('has every script that its build uses', () => {
    const copied = copies.flatMap((args) => args.slice(0, -1))
    for (const script of all(read('scripts/build.ts'), /from '\.\/([^']+)'/g)) {
      assert.ok(copied.includes(`scripts/${script}`), script)
    }
  })

  test('is run by the Node.js that the launcher asks for, and not by root', () => {
    const [major] = all(read('bin/bundled-node.mjs'), /REQUIRED_MAJOR = (\d+)/g)
    assert.deepEqual(new Set(all(read(IMAGE), /^FROM (\S+)/gm)), new Set([`node:${major}-slim`]))
    assert.match(read(IMAGE), /^USER node$/m)
  })

  test('shows the ports that are listened on', () => {
    assert.deepEqual(/^EXPOSE (.*)$/m.exec(read(IMAGE))?.[1]?.split(' '), PORTS)
  })
})

describe('compose.yaml', () => {
  const text = read(COMPOSE)

  test('mounts files that there are where they are looked for', () => {
    const mounts = [...text.matchAll(/"(\.\/[^:"]+):([^:"]+):ro"/g)]
    assert.ok(mounts.length > 0)
    for (const [, source = '', target = ''] of mounts) {
      assert.ok(existsSync(path.join(root, source)), source)
      assert.ok(text.includes(`"-c", "${target}"`), target)
    }
  })

  test('publishes ports that are listened on', () => {
    const targets = all(text, /"\d+:(\d+)"/g)
    assert.ok(targets.length > 0)
    for (const port of targets) assert.ok(PORTS.includes(port), port)
  })

  test('names volumes and servers that it has', () => {
    const services = all(text, /^ {2}([a-z]+(?:-\d)?):$/gm)
    for (const host of all(text, /(?:nats:\/\/|@)([a-z0-9-]+):\d+/g)) assert.ok(services.includes(host), host)
    const conf = read('deploy/nats/nats.conf')
    for (const host of all(conf, /nats:\/\/([a-z0-9-]+):6222/g)) assert.ok(services.includes(host), host)
    assert.equal(all(text, /"(nats-\d:\/data)"/g).length, 3)
    assert.match(conf, /store_dir: \/data\n/)
  })

  test('gives a process the time to end', () => {
    const graceMs = Number(/stop_grace_period: (\d+)s/.exec(text)?.[1]) * 1_000
    assert.ok(graceMs >= Number(settingsIn(text)['ASSAY_DRAIN_MS']) + SHUTDOWN_MS)
  })
})

describe('the manifest for Kubernetes', () => {
  const text = read(MANIFEST)

  test('probes paths and ports that there are', () => {
    const routes: readonly string[] = ROUTES.map((route) => route.path)
    for (const probed of all(text, /httpGet: { path: (\S+),/g)) assert.ok(routes.includes(probed), probed)
    for (const port of all(text, /containerPort: (\d+)/g)) assert.ok(PORTS.includes(port), port)
    const names = all(text, /name: ([a-z-]+), containerPort/g)
    for (const port of all(text, /(?:targetPort|, port): ([a-z-]+)/g)) assert.ok(names.includes(port), port)
    for (const port of all(text, /prometheus\.io\/port: "(\d+)"/g)) assert.equal(port, PORTS[0])
  })

  test('selects pods and scales deployments that there are', () => {
    const deployments = text
      .split('\n---\n')
      .filter((part) => part.includes('kind: Deployment\n') && part.includes('containers:'))
      .map((part) => /^ {2}name: (\S+)$/m.exec(part)?.[1])
    assert.deepEqual(deployments, ['assay-ingest', 'assay-worker', 'assay-api'])
    for (const target of all(text, /kind: Deployment, name: (\S+) }/g)) {
      assert.ok(deployments.includes(target), target)
    }
    for (const role of all(text, /app: assay, role: (\w+)/g)) {
      assert.ok(deployments.includes(`assay-${role}`), role)
    }
  })

  test('gives a process the time to end', () => {
    const drainMs = Number(settingsIn(text)['ASSAY_DRAIN_MS'])
    const graces = all(text, /terminationGracePeriodSeconds: (\d+)/g)
    assert.equal(graces.length, 3)
    for (const grace of graces) assert.ok(Number(grace) * 1_000 >= drainMs + SHUTDOWN_MS, grace)
  })

  test('scales by numbers that the service shows and the adapter hands on', async () => {
    const shown = await createMetrics(() => Promise.reject(new Error('nothing is read'))).render()
    const adapter = read(ADAPTER)
    const series = all(adapter, /seriesQuery: '(\w+)/g)
    assert.ok(series.length > 0)
    for (const name of series) assert.ok(shown.includes(`# TYPE ${name} gauge`), name)
    const handedOn = all(adapter, /name: { as: (\w+) }/g)
    const wanted = all(text, /metric: { name: (\w+)/g)
    assert.ok(wanted.length > 0)
    for (const name of wanted) assert.ok(handedOn.includes(name), name)
    for (const label of all(text, /matchLabels: { kind: (\w+) }/g)) assert.match(label, /^(local|judged)$/)
  })

  test('writes only where it has a volume', () => {
    const mounted = new Set(all(text, /mountPath: ([^ }]+)/g))
    const dataDir = settingsIn(text)['ASSAY_DATA_DIR'] ?? ''
    assert.ok(
      [...mounted].some((mount) => dataDir.startsWith(`${mount}/`)),
      dataDir,
    )
    const cache = /NODE_COMPILE_CACHE=(\S+)/.exec(read(IMAGE))?.[1] ?? ''
    assert.ok(
      [...mounted].some((mount) => cache.startsWith(`${mount}/`)),
      cache,
    )
  })
})

/** The matches of the pattern: its first group, or all of it. */
function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole)
}

/** Lines `ASSAY_NAME: value`; `${NAME:?why}` stands for what is put in its place. */
function settingsIn(text: string, placed: Readonly<Record<string, string>> = {}): Record<string, string> {
  const lines = [...text.matchAll(/^ +(ASSAY_[A-Z_]+): (.+)$/gm)]
  return Object.fromEntries(
    lines.map(([, name, value = '']) => [
      name,
      value
        .replace(/^"(.*)"$/, '$1')
        .replace(/\$\{(\w+):\?[^}]*\}/g, (whole, variable: string) => placed[variable] ?? whole),
    ]),
  )
}
