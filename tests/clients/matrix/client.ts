import type { Exchange } from './conversation.ts'

/** The reading of a span by the service, as far as it is named here. */
export interface ExpectedSpan {
  /** The span's name, or how it begins where a client adds a kind after a dot or a model after a space. */
  readonly name: string
  readonly prompt?: string
  readonly completion?: string
  /** The tool that the span calls, or is the execution of. */
  readonly tool?: string
  readonly toolArguments?: string
  readonly toolResult?: string
  readonly document?: string
  /** Name and size of an image that was taken out of the prompt. */
  readonly image?: string
}

/** A call of an SDK to the service that sends no spans, and its answer. */
export interface ExpectedCall {
  /** Method and path; `*` is any part of a path, for ids. */
  readonly call: string
  /** 200 when absent. */
  readonly status?: number
  /** Everything that the answer must have. */
  readonly answer: object
}

/** Refused exports, which a client has to send again. */
export interface ExpectedRefusals {
  /** The recorder refuses the first export, as the service does while its store takes nothing. */
  readonly isFirstRefused: boolean
  /** Settings of the service, so that it refuses some by itself. */
  readonly settings: Readonly<Record<string, string>>
  /** Statuses of HTTP or gRPC, each of which must have been answered; no others may. */
  readonly statuses: readonly number[]
}

/** A client: a program around real packages, and what the service must make of its spans. */
export interface Client {
  /** Names the client on the command line, and its recording. */
  readonly id: string
  /** The name and the mode of the client in the table. */
  readonly name: string
  /** The set of packages it runs with, a folder of `environments`. */
  readonly environment: string
  /** The packages whose versions the table names. */
  readonly packages: readonly string[]
  /** The file in `programs`. */
  readonly program: string
  readonly env?: Readonly<Record<string, string>>
  /** The rules that select the calls of the model, and nothing else. */
  readonly selector: readonly object[]
  /** The calls of the model that are scored, in order of their starts. */
  readonly calls: readonly Exchange[]
  /** Why a client gives no scores, where that is not for the service to change. */
  readonly noScores?: string
  /** Calls that it makes beside sending spans; absent: none. */
  readonly api?: readonly ExpectedCall[]
  /** How its exports are refused before they are taken; absent: none is. */
  readonly refusals?: ExpectedRefusals
  /** Other spans that must be read. */
  readonly spans?: readonly ExpectedSpan[]
}
