import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { ConfigError, ownModelsOf, readConfig } from './config.ts'

test('has a usable default for everything', () => {
  const { config, warnings } = readConfig({})
  assert.deepEqual(config, {
    port: 8080,
    host: '127.0.0.1',
    dataDir: path.resolve('data'),
    databaseConnections: 10,
    databaseStatementMsMax: 30_000,
    databaseConnectMsMax: 5_000,
    role: 'all',
    drainMs: 0,
    natsStream: 'assay',
    natsAttemptsMax: 10,
    natsBytesMax: 4_294_967_296,
    bodyBytesMax: 16 * 1024 * 1024,
    logLevel: 'info',
    shutdownMs: 10_000,
    readerThreads: 2,
    evaluatorThreads: 2,
    evaluationMsMax: 10_000,
    otlpGrpcPort: 4317,
    connectionsPerAddressMax: 256,
    headersMsMax: 20_000,
    bodyMsMax: 300_000,
    bodyBytesPerSecondMin: 1_024,
    idleMsMax: 72_000,
    unreadMsMax: 60_000,
    verifyHour: 3,
    metricsAccess: 'public',
    scoringThreads: 1,
    bindingSpansMin: 1,
    setupRestMs: 300,
    retentionHours: 720,
    traceQuietMs: 2_000,
    traceWaitMs: 300_000,
    contentWaitMs: 20_000,
    limitRequestsPerSecond: 5_000,
    limitSpansPerSecond: 200_000,
    limitStoredBytes: 0,
    limitSetups: 100_000,
    limitProjects: 1_000,
    limitApiKeys: 10_000,
    limitCustomEvaluators: 500,
    limitFailedAuthentications: 600,
    embeddedJudge: 'on',
    judgeMsMax: 60_000,
    judgeConcurrency: 8,
    judgeCacheEntries: 100_000,
    judgeCacheHours: 720,
    privacyGate: 'off',
  })
  assert.deepEqual(warnings, [])
})

test('takes an empty variable for unset', () => {
  assert.equal(readConfig({ PORT: '' }).config.port, 8080)
})

for (const [name, value] of [
  ['PORT', '70000'],
  ['PORT', '80x'],
  ['PORT', '-1'],
  ['PORT', '1e3'],
  ['ASSAY_BODY_BYTES_MAX', '16MB'],
  ['ASSAY_LOG_LEVEL', 'loud'],
  ['ASSAY_API_KEY', 'too short'],
  ['ASSAY_TRUSTED_PROXIES', '10.0.0.0/33'],
  ['ASSAY_TRUSTED_PROXIES', '10.0.0.1,proxy.example'],
  ['ASSAY_TRUSTED_PROXIES', '::1/129'],
  ['ASSAY_TRUSTED_PROXIES', '10.0.0.1,'],
  ['ASSAY_METRICS_TOKEN', 'too short'],
  ['ASSAY_METRICS_ACCESS', 'nobody'],
  ['ASSAY_JUDGE_MODEL', 'openai/'],
  ['ASSAY_JUDGE_MODEL', 'gpt 4o'],
  ['ASSAY_JUDGE_BASE_URL', 'localhost:11434/v1'],
  ['ASSAY_EMBEDDED_JUDGE', 'yes'],
  ['ASSAY_JUDGE_CONCURRENCY', '0'],
  ['ASSAY_PRIVACY_GATE', 'closed'],
  ['AWS_REGION', 'eu/../x'],
  ['AZURE_RESOURCE_NAME', 'evil.example/'],
] as const) {
  test(`refuses ${name}=${value} and names it`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, new RegExp(`^${name} must be `))
        return true
      },
    )
  })
}

test('tells all faults at once and never repeats a key', () => {
  assert.throws(
    () => readConfig({ PORT: 'x', ASSAY_API_KEY: 'a b c d e f g h i' }),
    (error: Error) => {
      assert.match(error.message, /PORT must be .*\nASSAY_API_KEY must be /)
      assert.ok(!error.message.includes('a b c'))
      return true
    },
  )
})

for (const [name, value] of [
  ['ASSAY_JUDGE_API_KEY', 'sk-hidden with a space'],
  ['ASSAY_JUDGE_BASE_URL', 'https://me:sk-hidden@host/v1'],
  ['ASSAY_SECRETS_KEY', 'sk-hidden'],
  ['OPENAI_API_KEY', 'sk-hidden\n'],
  ['OPENAI_BASE_URL', 'ftp://sk-hidden'],
  ['ANTHROPIC_API_KEY', 'sk-hidden é'],
  ['GEMINI_API_KEY', 'sk-hidden x'],
  ['AZURE_API_KEY', 'sk-hidden x'],
  ['AWS_BEARER_TOKEN_BEDROCK', 'sk-hidden x'],
] as const) {
  test(`refuses a bad ${name} without repeating it`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: Error) => error.message.startsWith(`${name} must be `) && !error.message.includes('hidden'),
    )
  })
}

test('warns of an unknown ASSAY_ variable and goes on', () => {
  const { warnings } = readConfig({ ASSAY_BODY_MAX: '1', OTHER: 'x' })
  assert.deepEqual(warnings, ['ASSAY_BODY_MAX is not a setting of this version and is ignored'])
})

test('names the models that the user has chosen, with their settings', () => {
  const { config, warnings } = readConfig({
    ASSAY_TONE_MODEL: 'models/tone',
    ASSAY_TONE_MODEL_LABELS: 'love=joy, fun=joy',
    ASSAY_TOXICITY_MODEL: '/models/toxic',
  })
  assert.deepEqual(warnings, [])
  assert.deepEqual(ownModelsOf(config), [
    {
      head: 'toxicity',
      dir: '/models/toxic',
      setting: 'ASSAY_TOXICITY_MODEL',
      labelsSetting: 'ASSAY_TOXICITY_MODEL_LABELS',
    },
    {
      head: 'tone',
      dir: path.resolve('models/tone'),
      labels: ['love=joy', 'fun=joy'],
      setting: 'ASSAY_TONE_MODEL',
      labelsSetting: 'ASSAY_TONE_MODEL_LABELS',
    },
  ])
})

test('refuses labels without a model and a list with a gap', () => {
  assert.throws(
    () => readConfig({ ASSAY_SEXISM_MODEL_LABELS: 'sexist' }),
    /^ConfigError: ASSAY_SEXISM_MODEL_LABELS needs ASSAY_SEXISM_MODEL$|^Error: ASSAY_SEXISM_MODEL_LABELS needs ASSAY_SEXISM_MODEL$/,
  )
  assert.throws(
    () => readConfig({ ASSAY_SEXISM_MODEL: '/m', ASSAY_SEXISM_MODEL_LABELS: 'a,,b' }),
    /ASSAY_SEXISM_MODEL_LABELS must be a list like label,label, not "a,,b"/,
  )
})

test('refuses a part of the service on the store of one process', () => {
  assert.throws(() => readConfig({ ASSAY_ROLE: 'worker' }), /ASSAY_ROLE worker needs ASSAY_DATABASE_URL/)
  const env = { ASSAY_ROLE: 'worker', ASSAY_DATABASE_URL: 'postgres://u:p@h/d' }
  assert.equal(readConfig(env).config.role, 'worker')
})

test('never repeats the address of a database, which may hold a password', () => {
  for (const url of ['mysql://u:s3cret@h/d', 'postgres://u:s3cret@h', 's3cret']) {
    const read = () => readConfig({ ASSAY_DATABASE_URL: url })
    assert.throws(
      read,
      ({ message }: Error) => !message.includes('s3cret') && /ASSAY_DATABASE_URL/.test(message),
    )
  }
})

test('reads NATS servers, of which the first may say scheme and user for all', () => {
  const env = { ASSAY_DATABASE_URL: 'postgres://u:p@h/d' }
  const read = (url: string) => readConfig({ ...env, ASSAY_NATS_URL: url }).config.natsUrl
  assert.deepEqual(read('nats://a:4222,b:4222, c'), ['nats://a:4222', 'nats://b:4222', 'nats://c'])
  assert.deepEqual(read('tls://u:p@a,nats://b'), ['tls://u:p@a', 'nats://b'])
  assert.deepEqual(read('tls://u:p@a,b'), ['tls://u:p@a', 'tls://u:p@b'])
  for (const url of ['a:4222', 'http://a:4222', 'nats://', 'nats://u:s3cret@a,', 'nats://a/path']) {
    assert.throws(
      () => read(url),
      ({ message }: Error) => /ASSAY_NATS_URL must be/.test(message) && !message.includes('s3cret'),
    )
  }
})

test('refuses a stream without a database', () => {
  assert.throws(
    () => readConfig({ ASSAY_NATS_URL: 'nats://a:4222' }),
    /ASSAY_NATS_URL needs ASSAY_DATABASE_URL/,
  )
})

test('settings of TLS and of the address of metrics come together', () => {
  assert.throws(() => readConfig({ ASSAY_TLS_KEY_FILE: 'a.key' }), /ASSAY_TLS_CERT_FILE/)
  assert.throws(() => readConfig({ ASSAY_TLS_CLIENT_CA_FILE: 'ca.crt' }), /ASSAY_TLS_CERT_FILE/)
  assert.throws(() => readConfig({ ASSAY_METRICS_HOST: '::1' }), /ASSAY_METRICS_PORT/)
})

test('trusted proxies are addresses and ranges of both families', () => {
  const { config } = readConfig({ ASSAY_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,::1,fd00::/8' })
  assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '192.0.2.7', '::1', 'fd00::/8'])
})
