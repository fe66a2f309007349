import type { LabelAnswers, OwnModelHead } from '../domain/own-model.ts'

/** A user's own model, checked and ready to be opened; plain data, because it travels to threads. */
export interface OwnModel {
  readonly head: OwnModelHead
  readonly modelFile: string
  readonly tokenizerFile: string
  /** Absent where the tokenizer has no settings of its own. */
  readonly tokenizerConfigFile?: string
  /** Tokens that it reads at once, its markers included. */
  readonly windowTokens: number
  /** Whether several labels can hold at once. */
  readonly isMultiLabel: boolean
  readonly labelAnswers: LabelAnswers
  /** The package that runs it, where it does not lie beside the service. */
  readonly runtimeDir?: string
  /** The version of the evaluator that asks it: another model, another version. */
  readonly evaluatorVersion: number
}

/** The data that threads need to ask the users' own models. */
export interface OwnModels {
  /**
   * The module that exports `openTextClassifier`. Named instead of imported, so that only the thread that asks a model
   * loads what runs it.
   */
  readonly moduleUrl: string
  readonly models: readonly OwnModel[]
}

/** The verdict of a model on one part of a text. */
export interface TextPart {
  /** How much of the text it is, markers not included. */
  readonly tokens: number
  /** From 0 to 1 for each answer that the evaluator asks for. */
  readonly likelihoods: readonly number[]
}

/** A model that reads texts. */
export interface TextClassifier {
  /** Reads a text to its end, part by part; a caller that knows enough stops. Nothing comes of a text without tokens. */
  read(text: string): AsyncGenerator<TextPart>
}

/** Opens a model. It is loaded when the first text is read. */
export type OpenTextClassifier = (model: OwnModel) => TextClassifier
