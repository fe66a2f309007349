import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The package that runs models. The native one ends the whole process when its thread is ended: see decision 0010. */
const PACKAGE = 'onnxruntime-web'

/** The part of a tensor that is used here. */
export interface Tensor {
  readonly dims: readonly number[]
  readonly data: unknown
}

/** The part of a loaded model that is used here. */
export interface Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
}

/** The part of the package that is used here. */
export interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array): Promise<Session> }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
  readonly env: { logLevel: string; readonly wasm: { numThreads: number } }
}

/**
 * Where the package is, or undefined where it is not installed: in `dir` when one is given, else where a package that is
 * installed beside the service is found.
 */
export function findRuntime(dir: string | undefined): string | undefined {
  try {
    if (dir === undefined) return createRequire(import.meta.url).resolve(PACKAGE)
    // A package can be asked for by its name from inside itself.
    const manifestFile = path.join(dir, 'package.json')
    const { name } = JSON.parse(readFileSync(manifestFile, 'utf8'))
    return name === PACKAGE ? createRequire(manifestFile).resolve(PACKAGE) : undefined
  } catch {
    return undefined
  }
}

/** Loads the package, once in a thread. */
export async function loadRuntime(dir: string | undefined): Promise<Runtime> {
  const file = findRuntime(dir)
  if (file === undefined) throw new Error(`the package ${PACKAGE} is not installed`)
  const runtime: Runtime = await import(pathToFileURL(file).href)
  // One core for one evaluation: the service has threads of its own for more. Its warnings are about models, not texts.
  runtime.env.wasm.numThreads = 1
  runtime.env.logLevel = 'error'
  return runtime
}
