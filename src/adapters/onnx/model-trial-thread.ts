// The inside of a thread that tries one model and ends: it must load and read a text that is longer than a window.

import { parentPort, workerData } from 'node:worker_threads'
import { oneLine } from '../../lib/one-line.ts'
import type { OwnModel } from '../../ports/text-classifier.ts'
import { openTextClassifier } from './onnx-text-classifier.ts'

/** The outcome of a trial; no fault means that the model can be used. */
export interface TrialAnswer {
  readonly fault?: string
}

/** Longest message of a runtime that is repeated. */
const MESSAGE_CHARS_MAX = 300
/** Fills a window whatever the tokenizer, and begins another. */
const TRIAL_WORD = 'word, '

if (!parentPort) throw new Error('model-trial-thread runs only as a worker thread')
parentPort.postMessage(await tryModel(workerData))

async function tryModel(model: OwnModel): Promise<TrialAnswer> {
  try {
    let parts = 0
    for await (const _ of openTextClassifier(model).read(TRIAL_WORD.repeat(model.windowTokens))) {
      if (++parts === 2) return {}
    }
    return { fault: 'tokenizer.json: makes fewer tokens of a text than it has words' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { fault: oneLine(message, MESSAGE_CHARS_MAX) }
  }
}
