import { readFileSync } from 'node:fs'
import { OWN_MODEL_HEADS } from '../../domain/own-model.ts'
import type { OpenTextClassifier, OwnModel, TextClassifier, TextPart } from '../../ports/text-classifier.ts'
import { loadTokenizer, type ModelTokenizer } from './model-tokenizer.ts'
import { loadRuntime, type Runtime, type Session, type Tensor } from './onnx-runtime.ts'

/** Where threads find `openTextClassifier`. */
export const CLASSIFIER_MODULE_URL = import.meta.url

/** Opens a user's own model. */
export const openTextClassifier: OpenTextClassifier = (model) => new OnnxTextClassifier(model)

/** The inputs that a text classifier may take. */
const INPUTS: Readonly<Record<string, (id: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: () => 0,
}

interface LoadedModel {
  readonly runtime: Runtime
  readonly session: Session
  readonly tokenizer: ModelTokenizer
}

/** A text classifier in the form that Hugging Face's tools export. */
export class OnnxTextClassifier implements TextClassifier {
  readonly #model: OwnModel
  #loading: Promise<LoadedModel> | undefined

  constructor(model: OwnModel) {
    this.#model = model
  }

  async *read(text: string): AsyncGenerator<TextPart> {
    this.#loading ??= load(this.#model)
    const loaded = await this.#loading
    for (const { ids, tokens } of loaded.tokenizer.windows(text)) {
      const logits = await this.#logits(loaded, ids)
      yield { tokens, likelihoods: likelihoodsOf(logits, this.#model) }
    }
  }

  async #logits({ runtime, session }: LoadedModel, ids: readonly number[]): Promise<number[]> {
    const feeds: Record<string, Tensor> = {}
    for (const name of session.inputNames) {
      const toValue = INPUTS[name]
      if (!toValue) throw new Error(`model.onnx: a text classifier has no input ${name}`)
      const values = BigInt64Array.from(ids, (id) => BigInt(toValue(id)))
      feeds[name] = new runtime.Tensor('int64', values, [1, ids.length])
    }
    const outputs = await naming(`model.onnx, given ${ids.length} tokens`, () => session.run(feeds))
    const name = session.outputNames.includes('logits') ? 'logits' : session.outputNames[0]
    return numbersOf(name === undefined ? undefined : outputs[name], this.#model.labelAnswers.length)
  }
}

async function load(model: OwnModel): Promise<LoadedModel> {
  const runtime = await loadRuntime(model.runtimeDir)
  const session = await naming('model.onnx', async () =>
    runtime.InferenceSession.create(readFileSync(model.modelFile)),
  )
  return { runtime, session, tokenizer: await naming('tokenizer.json', () => loadTokenizer(model)) }
}

/** Libraries do not say which of the files they complain about. */
async function naming<T>(file: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

function numbersOf(output: Tensor | undefined, labels: number): number[] {
  const { dims = [], data } = output ?? {}
  if (!(data instanceof Float32Array) || data.length !== labels) {
    throw new Error(`model.onnx: answers [${dims.join(', ')}] where config.json has ${labels} labels`)
  }
  const numbers = [...data]
  if (!numbers.every(Number.isFinite)) throw new Error('model.onnx: answers what is not a number')
  return numbers
}

/**
 * Labels that exclude each other share one certainty, so those of an answer add up; of labels that can hold together the
 * most likely one decides.
 */
function likelihoodsOf(logits: readonly number[], { head, labelAnswers, isMultiLabel }: OwnModel): number[] {
  const likely = isMultiLabel ? logits.map((logit) => 1 / (1 + Math.exp(-logit))) : sharesOf(logits)
  return OWN_MODEL_HEADS[head].answers.map((_, answer) => {
    const own = likely.filter((_, label) => labelAnswers[label] === answer)
    if (isMultiLabel) return Math.max(0, ...own)
    return Math.min(
      1,
      own.reduce((sum, share) => sum + share, 0),
    )
  })
}

function sharesOf(logits: readonly number[]): number[] {
  const most = Math.max(...logits)
  const powers = logits.map((logit) => Math.exp(logit - most))
  const total = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / total)
}
