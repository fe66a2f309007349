/** What people and other programs say about traces, spans and sessions. */

/** Who said it: a person, or a program that called the interface. */
export const ANNOTATION_SOURCES = ['human', 'api'] as const
export type AnnotationSource = (typeof ANNOTATION_SOURCES)[number]

/** What was said. A list holds texts that apply together, such as tags. */
export type AnnotationValue = number | boolean | string | readonly string[]

/** One thing that somebody said. It is about a trace, about one of its spans, or about what `sessionId` names. */
export interface Annotation {
  readonly traceId?: string
  /** Only together with a trace id. */
  readonly spanId?: string
  /** Whatever the application calls by this name, a conversation for example; absent where there is a trace id. */
  readonly sessionId?: string
  /** What is judged, in the words of whoever judges. */
  readonly name: string
  readonly value: AnnotationValue
  readonly comment?: string
  readonly source: AnnotationSource
  /** Slug of the evaluator whose verdict it can be held against. */
  readonly evaluator?: string
  /** The annotation task it was made for. */
  readonly task?: string
  /** Who it was, as the client says. */
  readonly actor?: string
}
