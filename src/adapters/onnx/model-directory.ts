import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Tokens of a window, also where a model could read more: the work grows with their square. */
const WINDOW_TOKENS_MAX = 512
/** Models that do not count their positions from 0, so that they read fewer tokens than they have positions. */
const POSITIONS_BEFORE_FIRST: Readonly<Record<string, number>> = {
  roberta: 2,
  'xlm-roberta': 2,
  camembert: 2,
  mpnet: 2,
}

/** A directory as Hugging Face's tools write it, read and found complete. */
export interface ModelDirectory {
  readonly modelFile: string
  readonly tokenizerFile: string
  readonly tokenizerConfigFile?: string
  readonly labels: readonly string[]
  readonly isMultiLabel: boolean
  readonly windowTokens: number
}

/** A directory that cannot be used; the message says what is wrong in it. */
export class ModelFault extends Error {}

/** Reads what a directory says about its model. */
export function readModelDirectory(dir: string): ModelDirectory {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new ModelFault('it is not a directory')
  const places = [path.join(dir, 'model.onnx'), path.join(dir, 'onnx', 'model.onnx')]
  const modelFile = places.find(isFile)
  const missing = [
    ...(modelFile ? [] : ['model.onnx']),
    ...['tokenizer.json', 'config.json'].filter((name) => !isFile(path.join(dir, name))),
  ]
  if (missing.length > 0 || !modelFile) throw new ModelFault(`it has no ${missing.join(' and no ')}`)
  if (existsSync(`${modelFile}_data`) || existsSync(`${modelFile}.data`)) {
    throw new ModelFault('it keeps the weights beside model.onnx; export it as one file')
  }
  const config = readObject(path.join(dir, 'config.json'))
  const tokenizerConfigFile = path.join(dir, 'tokenizer_config.json')
  const hasConfig = isFile(tokenizerConfigFile)
  readObject(path.join(dir, 'tokenizer.json'))
  return {
    modelFile,
    tokenizerFile: path.join(dir, 'tokenizer.json'),
    ...(hasConfig ? { tokenizerConfigFile } : {}),
    ...readConfigFile(config, hasConfig ? readObject(tokenizerConfigFile) : {}),
  }
}

/** Names everything in the directory that decides an answer. */
export async function fingerprintOf(directory: ModelDirectory, rest: readonly unknown[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify([...rest, { ...directory, ...noPlaces }]))
  for (const file of [directory.modelFile, directory.tokenizerFile, directory.tokenizerConfigFile]) {
    const content = createHash('sha256')
    if (file !== undefined) await pipeline(createReadStream(file), content)
    hash.update(content.digest())
  }
  return hash.digest()
}

// The same files in another place are the same model.
const noPlaces = { modelFile: '', tokenizerFile: '', tokenizerConfigFile: '' }

function readConfigFile(
  config: Readonly<Record<string, unknown>>,
  tokenizerConfig: Readonly<Record<string, unknown>>,
): Pick<ModelDirectory, 'labels' | 'isMultiLabel' | 'windowTokens'> {
  const labels = labelsOf(config['id2label'])
  const kind = config['problem_type'] ?? undefined
  if (kind === 'regression')
    throw new ModelFault('config.json: problem_type is regression, not a classification')
  const isMultiLabel = kind === undefined ? labels.length === 1 : kind === 'multi_label_classification'
  if (!isMultiLabel && labels.length === 1)
    throw new ModelFault('config.json: one label alone is always certain')
  const positions = numberIn(config['max_position_embeddings']) ?? WINDOW_TOKENS_MAX
  const windowTokens = Math.min(
    WINDOW_TOKENS_MAX,
    positions - (POSITIONS_BEFORE_FIRST[String(config['model_type'])] ?? 0),
    numberIn(tokenizerConfig['model_max_length']) ?? WINDOW_TOKENS_MAX,
  )
  return { labels, isMultiLabel, windowTokens }
}

/** `{"0": "SAFE", "1": "INJECTION"}`: a name for every number from 0 on. */
function labelsOf(id2label: unknown): string[] {
  const names = isObject(id2label) ? id2label : {}
  const labels = Object.keys(names).map((_, at) => names[at])
  if (labels.length === 0 || !labels.every((label) => typeof label === 'string')) {
    throw new ModelFault('config.json: id2label must name the labels 0, 1, ...')
  }
  return labels
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

function readObject(file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ModelFault(`${path.basename(file)} cannot be read: ${message}`)
  }
  if (!isObject(value)) throw new ModelFault(`${path.basename(file)} is not a JSON object`)
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false
}
