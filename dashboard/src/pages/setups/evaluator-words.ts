import type { Evaluator, Scope } from './setup-definition.ts'

export type Method = Evaluator['method']

/** How an evaluator decides, in a word and in a sentence. */
export const METHODS: Readonly<Record<Method, { label: string; meaning: string }>> = {
  exact: { label: 'Exact', meaning: 'Decides by rules: the same answer every time, at no cost.' },
  detector: {
    label: 'Detector',
    meaning: 'Decides with models inside this service: nothing leaves it, at no cost.',
  },
  judge: {
    label: 'Judge',
    meaning: 'Asks a language model, which may cost money; without one, the embedded judge.',
  },
}

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  span: 'Each span',
  trace: 'Each trace',
  session: 'Each session',
}

/** Inputs that no span has by itself: the setup must say where they come from. */
export function inputsToMap(evaluator: Evaluator | undefined): string[] {
  return Object.entries(evaluator?.span_fields ?? {}).flatMap(([input, field]) =>
    field === null ? [input] : [],
  )
}
