// The inside of a thread that asks a model without end; it says so before it begins.

import { parentPort, workerData } from 'node:worker_threads'
import { openTextClassifier } from '../../src/adapters/onnx/onnx-text-classifier.ts'

if (!parentPort) throw new Error('endless-reading-thread runs only as a worker thread')
const classifier = openTextClassifier(workerData)
for (let round = 0; ; round++) {
  for await (const _ of classifier.read('thank you '.repeat(1_000)));
  if (round === 0) parentPort.postMessage('reading')
}
