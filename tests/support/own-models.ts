import { cpSync } from 'node:fs'
import path from 'node:path'
import { temporaryDirectory } from './temporary-directory.ts'

/** The package that runs models, which only the tests have installed. */
export const RUNTIME_DIR = path.join(import.meta.dirname, '../node_modules/onnxruntime-web')

/** Three real classifiers of a few kilobytes; tests/testdata/own-models/make_models.py makes them. */
export type TestModel = 'word-piece' | 'byte-pairs' | 'unigram'

/** Where a classifier lies. */
export function modelDir(name: TestModel): string {
  return path.join(import.meta.dirname, '../testdata/own-models', name)
}

/** A copy of a classifier that a test may change. */
export function modelCopy(name: TestModel): string {
  const dir = temporaryDirectory()
  cpSync(modelDir(name), dir, { recursive: true })
  return dir
}
