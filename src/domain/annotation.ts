/** Annotations: statements of people and other programs about traces, spans and sessions. */

/** The source of an annotation: a person, or a program that called the interface. */
export const ANNOTATION_SOURCES = ['human', 'api'] as const
export type AnnotationSource = (typeof ANNOTATION_SOURCES)[number]

/** The annotated value. A list holds texts that apply together, such as tags. */
export type AnnotationValue = number | boolean | string | readonly string[]

/** One annotation. It is about a trace, about one of its spans, or about what `sessionId` names. */
export interface Annotation {
  readonly traceId?: string
  /** Only together with a trace id. */
  readonly spanId?: string
  /** The application's own id of a session, such as a conversation; absent where there is a trace id. */
  readonly sessionId?: string
  /** The quality that is judged, in the words of the annotator. */
  readonly name: string
  readonly value: AnnotationValue
  readonly comment?: string
  readonly source: AnnotationSource
  /** Slug of the evaluator whose verdict it can be held against. */
  readonly evaluator?: string
  /** The annotation task it was made for. */
  readonly task?: string
  /** The author, as the client names them. */
  readonly actor?: string
}
