import type { components } from '../../api/schema.gen.ts'

type Schemas = components['schemas']

/** A trace in a list. */
export type Trace = Schemas['Trace']
/** A trace with a page of its spans. */
export type TraceDetail = Schemas['TraceDetail']
export type TraceSpan = TraceDetail['spans'][number]
/** A result beside what it is about. */
export type ShortEvaluation = Trace['evaluations'][number]
/** An annotation of a person or another program. */
export type Score = Schemas['Score']
export type Session = Schemas['Session']
export type SessionDetail = Schemas['SessionDetail']
export type SetupExplanation = Schemas['SetupExplanation']
export type RuleExplanation = Schemas['RuleExplanation']
export type EntryExplanation = Schemas['EntryExplanation']
export type UsageLine = Schemas['UsageLine']
