import { answersOfLabels, OWN_MODEL_HEADS, type OwnModelHead } from '../../domain/own-model.ts'
import { defined } from '../../lib/defined.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { callThread } from '../../lib/threads/thread-call.ts'
import type { OwnModel, OwnModels } from '../../ports/text-classifier.ts'
import { fingerprintOf, ModelFault, readModelDirectory } from './model-directory.ts'
import type { TrialAnswer } from './model-trial-thread.ts'
import { findRuntime } from './onnx-runtime.ts'
import { CLASSIFIER_MODULE_URL } from './onnx-text-classifier.ts'

/** Raised when the same files answer otherwise than before. */
const READING_VERSION = 1
/** Hexadecimal digits of a fingerprint that make a version: as many as a number holds exactly. */
const VERSION_DIGITS = 12

/** The settings of one model. */
export interface OwnModelChoice {
  readonly head: OwnModelHead
  /** The names of its settings, for messages. */
  readonly setting: string
  readonly labelsSetting: string
  readonly dir: string
  readonly labels?: readonly string[]
}

/**
 * Checks the models that users have chosen, down to an answer that each gives in a thread of its own. A model that cannot
 * be used is an error that names the setting and the fault, so that the service does not start with it.
 */
export async function checkOwnModels(
  choices: readonly OwnModelChoice[],
  options: {
    readonly runtimeDir?: string
    /** Of the evaluators as they are built in, by slug. */
    readonly evaluatorVersions: Readonly<Record<string, number>>
    readonly startThread: StartThread
    /** Longest time to load and to read two windows. A model that needs more would have every evaluation ended. */
    readonly trialMsMax: number
  },
): Promise<OwnModels | undefined> {
  if (choices.length === 0) return undefined
  const { runtimeDir, evaluatorVersions, startThread, trialMsMax } = options
  if (findRuntime(runtimeDir) === undefined) {
    throw new Error(
      runtimeDir === undefined
        ? `${choices[0]?.setting} needs the package onnxruntime-web: install it beside the service, or name its directory in ASSAY_ONNX_RUNTIME_DIR`
        : `ASSAY_ONNX_RUNTIME_DIR: ${runtimeDir} is not the package onnxruntime-web`,
    )
  }
  const models: OwnModel[] = []
  for (const choice of choices) {
    try {
      const model = await describe(choice, evaluatorVersions[OWN_MODEL_HEADS[choice.head].slug])
      const own = { ...model, ...defined({ runtimeDir }) }
      await tryModel(own, startThread, trialMsMax)
      models.push(own)
    } catch (error) {
      if (error instanceof ModelFault) throw new Error(`${choice.setting}=${choice.dir}: ${error.message}`)
      throw error
    }
  }
  return { moduleUrl: CLASSIFIER_MODULE_URL, models }
}

async function describe(choice: OwnModelChoice, builtInVersion: number | undefined): Promise<OwnModel> {
  const { head, dir, labels: chosen, labelsSetting } = choice
  const directory = readModelDirectory(dir)
  const labelAnswers = answersOfLabels(OWN_MODEL_HEADS[head], directory.labels, chosen)
  if ('fault' in labelAnswers) throw new ModelFault(`${labelAnswers.fault}; see ${labelsSetting}`)
  const { labels: _, ...files } = directory
  const fingerprint = await fingerprintOf(directory, [READING_VERSION, builtInVersion, labelAnswers])
  const evaluatorVersion = Number.parseInt(fingerprint.toString('hex').slice(0, VERSION_DIGITS), 16)
  return { head, ...files, labelAnswers, evaluatorVersion }
}

/** In a thread, so that what loading it takes is given back, and so that the service cannot hang on it. */
async function tryModel(model: OwnModel, startThread: StartThread, msMax: number): Promise<void> {
  const worker = startThread(import.meta.url, 'model-trial-thread', model)
  try {
    const end = await callThread<TrialAnswer>({ worker, isLoaded: true }, 'try', msMax)
    if ('lateMs' in end)
      throw new ModelFault(`it gave no answer within the ${msMax} ms of ASSAY_EVALUATION_MS_MAX`)
    if ('lost' in end)
      throw end.lost instanceof Error ? end.lost : new ModelFault('loading the model ended its thread')
    if (end.answer.fault !== undefined) throw new ModelFault(end.answer.fault)
  } finally {
    await worker.terminate()
  }
}
