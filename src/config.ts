import path from 'node:path'
import { EDGE_SETTINGS, type EdgeConfig, edgeFaults } from './config/edge-settings.ts'
import { JUDGE_SETTINGS, type JudgeConfig } from './config/judge-settings.ts'
import { LIMIT_SETTINGS, type LimitConfig } from './config/limit-settings.ts'
import { integer, matching, oneOf, type Setting } from './config/setting.ts'
import { STORE_SETTINGS, type StoreConfig, storeFaults } from './config/store-settings.ts'
import { STREAM_SETTINGS, type StreamConfig, streamFaults } from './config/stream-settings.ts'
import { OWN_MODEL_HEADS, type OwnModelHead } from './domain/own-model.ts'
import { KEY_PATTERN, RETENTION_HOURS_MAX } from './domain/tenant.ts'

/** Everything an operator can decide. Read once at the start; nothing else looks at the environment. */
export interface Config extends EdgeConfig, JudgeConfig, LimitConfig, StoreConfig, StreamConfig {
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly apiKey?: string
  readonly bodyBytesMax: number
  readonly logLevel: string
  readonly shutdownMs: number
  readonly readerThreads: number
  readonly evaluatorThreads: number
  readonly evaluationMsMax: number
  readonly otlpGrpcPort: number
  readonly scoringThreads: number
  readonly bindingSpansMin: number
  readonly setupRestMs: number
  readonly retentionHours: number
  /** An hour in UTC, or `off`. */
  readonly verifyHour: number | 'off'
  readonly traceQuietMs: number
  readonly traceWaitMs: number
  readonly contentWaitMs: number
  readonly toxicityModel?: string
  readonly toxicityModelLabels?: readonly string[]
  readonly sexismModel?: string
  readonly sexismModelLabels?: readonly string[]
  readonly injectionModel?: string
  readonly injectionModelLabels?: readonly string[]
  readonly toneModel?: string
  readonly toneModelLabels?: readonly string[]
  readonly onnxRuntimeDir?: string
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const HEADS = Object.keys(OWN_MODEL_HEADS) as OwnModelHead[]

/** All settings, in the order the docs show them. */
export const SETTINGS = {
  port: {
    name: 'PORT',
    description: 'TCP port of the HTTP interface; 0 takes any free one.',
    defaultText: '8080',
    read: integer(0, 65_535),
  },
  host: {
    name: 'HOST',
    description: 'Address to listen on. `0.0.0.0` makes the service reachable from other machines.',
    defaultText: '127.0.0.1',
    read: (text) => text,
  },
  dataDir: {
    name: 'ASSAY_DATA_DIR',
    description: 'Directory of the embedded store and of the first API key; made when missing.',
    defaultText: './data',
    read: (text) => path.resolve(text),
  },
  ...STORE_SETTINGS,
  ...STREAM_SETTINGS,
  apiKey: {
    name: 'ASSAY_API_KEY',
    description:
      'The first API key, used only on an empty store: 16 to 256 visible ASCII characters. Without it a random key ' +
      'is made, printed once and written to `<data dir>/api-key`. On a store that has keys a different one is ' +
      'ignored with a warning.',
    isSecret: true,
    read: matching(KEY_PATTERN, '16 to 256 visible ASCII characters'),
  },
  bodyBytesMax: {
    name: 'ASSAY_BODY_BYTES_MAX',
    description:
      'Largest request body in bytes, also after decompression; larger ones are answered 413. Requests that configure ' +
      'something (setups, keys, projects) may have at most 2 MiB.',
    defaultText: '16777216',
    read: integer(1_024, 67_108_864),
  },
  logLevel: {
    name: 'ASSAY_LOG_LEVEL',
    description: `Least severe level that is logged: ${LOG_LEVELS.join(', ')}. Requests are logged at debug, failures at error.`,
    defaultText: 'info',
    read: oneOf(LOG_LEVELS),
  },
  shutdownMs: {
    name: 'ASSAY_SHUTDOWN_MS',
    description:
      'How long a shutdown waits for requests under way, in milliseconds, before it closes their connections.',
    defaultText: '10000',
    read: integer(0, 600_000),
  },
  readerThreads: {
    name: 'ASSAY_READER_THREADS',
    description: 'Threads that read from the embedded store at the same time.',
    defaultText: '2',
    read: integer(1, 16),
  },
  evaluatorThreads: {
    name: 'ASSAY_EVALUATOR_THREADS',
    description:
      'Execute calls that threads run at the same time. Threads start when they are first needed and also score spans.',
    defaultText: '2',
    read: integer(1, 64),
  },
  evaluationMsMax: {
    name: 'ASSAY_EVALUATION_MS_MAX',
    description:
      'Longest time an evaluation may run in a thread, in milliseconds; then it is ended and answered 504.',
    defaultText: '10000',
    read: integer(100, 600_000),
  },
  otlpGrpcPort: {
    name: 'ASSAY_OTLP_GRPC_PORT',
    description:
      'TCP port that takes OTLP over gRPC at the address `HOST`; 0 turns it off. A port that is taken ' +
      'is a warning: OTLP over HTTP goes on.',
    defaultText: '4317',
    read: integer(0, 65_535),
  },
  ...EDGE_SETTINGS,
  scoringThreads: {
    name: 'ASSAY_SCORING_THREADS',
    description:
      'Threads that score matched spans, traces and sessions at the same time. They start when they are first needed and also run execute calls.',
    defaultText: '1',
    read: integer(1, 64),
  },
  bindingSpansMin: {
    name: 'ASSAY_BINDING_SPANS_MIN',
    description: 'Matching spans that a setup waits for before its evaluators are bound to them.',
    defaultText: '1',
    read: integer(1, 10_000),
  },
  setupRestMs: {
    name: 'ASSAY_SETUP_REST_MS',
    description:
      'How long a setup rests after it was written before it is processed, in milliseconds, so that a deploy that ' +
      'writes it several times has it processed once, and a client that reads a setup back finds it as written.',
    defaultText: '300',
    read: integer(0, 600_000),
  },
  retentionHours: {
    name: 'ASSAY_RETENTION_HOURS',
    description:
      'Longest time that spans and evaluations are kept, in hours. An organization that was made with fewer ' +
      '`retention_hours` keeps its own for that long only.',
    defaultText: '720',
    read: integer(1, RETENTION_HOURS_MAX),
  },
  verifyHour: {
    name: 'ASSAY_VERIFY_HOUR',
    description:
      'Hour of the day, in UTC, in which the whole store is looked through for faults, slowly and by one process ' +
      '([operations](operations.md)); `off` does not look.',
    defaultText: '3',
    read: (text) => (text === 'off' ? ('off' as const) : hourOf(text)),
  },
  traceQuietMs: {
    name: 'ASSAY_TRACE_QUIET_MS',
    description:
      'How long no new span of a trace must have come before it is evaluated as a whole, in milliseconds. Services that ' +
      'pause longer between their spans are waited for longer, up to a minute; a span with the attribute ' +
      '`assay.trace.complete` ends the wait.',
    defaultText: '2000',
    read: integer(0, 60_000),
  },
  contentWaitMs: {
    name: 'ASSAY_CONTENT_WAIT_MS',
    description:
      'How long a span of a model call that carries no messages waits for them to arrive as OTLP log events, in ' +
      'milliseconds; then it is recorded as `missing_input`. 0: it does not wait.',
    defaultText: '20000',
    read: integer(0, 600_000),
  },
  traceWaitMs: {
    name: 'ASSAY_TRACE_WAIT_MS',
    description:
      'How long a trace whose root or a parent is missing is waited for after its newest span, in milliseconds; then it ' +
      'is evaluated as it is.',
    defaultText: '300000',
    read: integer(0, 86_400_000),
  },
  ...LIMIT_SETTINGS,
  ...JUDGE_SETTINGS,
  toxicityModel: ownModel('toxicity'),
  toxicityModelLabels: ownModelLabels('toxicity'),
  sexismModel: ownModel('sexism'),
  sexismModelLabels: ownModelLabels('sexism'),
  injectionModel: ownModel('injection'),
  injectionModelLabels: ownModelLabels('injection'),
  toneModel: ownModel('tone'),
  toneModelLabels: ownModelLabels('tone'),
  onnxRuntimeDir: {
    name: 'ASSAY_ONNX_RUNTIME_DIR',
    description:
      'Directory of the package `onnxruntime-web`, which runs own models, where it is not installed beside the service.',
    read: (text) => path.resolve(text),
  },
} satisfies { [Name in keyof Required<Config>]: Setting<Required<Config>[Name]> }

/** A configuration that cannot be used; its message lists every fault, one a line. */
export class ConfigError extends Error {}

/** Reads all settings. An empty variable counts as unset. A bad value is never replaced by a default: it throws. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): {
  config: Config
  warnings: string[]
} {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [field, setting] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const given = env[setting.name] || undefined
    const text = given ?? setting.defaultText
    if (text === undefined) continue
    try {
      config[field] = setting.read(text)
    } catch (error) {
      const shown = setting.isSecret ? '' : `, not ${JSON.stringify(text)}`
      faults.push(`${setting.name} must be ${(error as Error).message}${shown}`)
    }
  }
  for (const head of HEADS) {
    const { model, labels } = ownModelSettings(head)
    if (env[labels] && !env[model]) faults.push(`${labels} needs ${model}`)
  }
  faults.push(...storeFaults(config), ...streamFaults(config), ...edgeFaults(config))
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return { config: config as unknown as Config, warnings: unknownSettings(env) }
}

/** A model of the user's own, as the settings name it. */
export interface OwnModelSetting {
  readonly head: OwnModelHead
  readonly dir: string
  readonly labels?: readonly string[]
  /** The names of its settings, for messages. */
  readonly setting: string
  readonly labelsSetting: string
}

/** The models that the user has chosen instead of the embedded one. */
export function ownModelsOf(config: Config): OwnModelSetting[] {
  return HEADS.flatMap((head) => {
    const dir = config[`${head}Model`]
    const labels = config[`${head}ModelLabels`]
    if (dir === undefined) return []
    const { model: setting, labels: labelsSetting } = ownModelSettings(head)
    return [{ head, dir, setting, labelsSetting, ...(labels ? { labels } : {}) }]
  })
}

function hourOf(text: string): number {
  const hour = Number(text)
  if (!/^\d{1,2}$/.test(text) || hour > 23) throw new Error('an hour from 0 to 23, or off')
  return hour
}

function unknownSettings(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>(Object.values(SETTINGS).map(({ name }) => name))
  return Object.keys(env)
    .filter((name) => name.startsWith('ASSAY_') && !known.has(name))
    .map((name) => `${name} is not a setting of this version and is ignored`)
}

function ownModelSettings(head: OwnModelHead): { readonly model: string; readonly labels: string } {
  const model = `ASSAY_${head.toUpperCase()}_MODEL`
  return { model, labels: `${model}_LABELS` }
}

function ownModel(head: OwnModelHead): Setting<string> {
  return {
    name: ownModelSettings(head).model,
    description:
      `Directory with an ONNX text classifier that \`${OWN_MODEL_HEADS[head].slug}\` asks instead of the embedded model ` +
      '([own models](own-models.md)).',
    read: (text) => path.resolve(text),
  }
}

function ownModelLabels(head: OwnModelHead): Setting<string[]> {
  const { model, labels } = ownModelSettings(head)
  const isDetector = OWN_MODEL_HEADS[head].answers.length === 1
  return {
    name: labels,
    description: isDetector
      ? `The labels of \`${model}\` that count, separated by commas; without it those with a known name.`
      : `The meaning of labels of \`${model}\` that are not named like a tone: \`love=joy,annoyance=anger\`.`,
    read: isDetector ? list('label,label') : list('label=tone,label=tone'),
  }
}

function list(form: string): (text: string) => string[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim())
    if (items.includes('')) throw new Error(`a list like ${form}`)
    return items
  }
}
