/** The evaluators that ask an embedded model, and that can ask a user's own model instead. */
export type OwnModelHead = 'toxicity' | 'sexism' | 'injection' | 'tone'

/** The tones that a text can have, in the order in which models answer them. */
export const TONES = ['joy', 'anger', 'sadness', 'fear', 'surprise', 'disgust', 'neutral'] as const

/** The question that an evaluator asks a model. */
export interface HeadQuestion {
  readonly slug: string
  /** The meaning of each number of an answer. A detector has one; several exclude each other. */
  readonly answers: readonly string[]
  /** Names under which models that people publish give an answer, beside its own; in lower case, words joined by `_`. */
  readonly otherNames: Readonly<Record<string, string>>
}

/** The question of each head, by the part of its name that the settings use. */
export const OWN_MODEL_HEADS: Readonly<Record<OwnModelHead, HeadQuestion>> = {
  toxicity: {
    slug: 'toxicity-detector',
    answers: ['toxic'],
    otherNames: {
      toxicity: 'toxic',
      hate: 'toxic',
      hateful: 'toxic',
      hate_speech: 'toxic',
      offensive: 'toxic',
      abusive: 'toxic',
    },
  },
  sexism: {
    slug: 'sexism-detector',
    answers: ['sexist'],
    otherNames: { sexism: 'sexist', misogyny: 'sexist', misogynist: 'sexist', misogynistic: 'sexist' },
  },
  injection: {
    slug: 'prompt-injection',
    answers: ['injection'],
    otherNames: { prompt_injection: 'injection', jailbreak: 'injection', malicious: 'injection' },
  },
  tone: {
    slug: 'tone-detection',
    answers: TONES,
    otherNames: { happiness: 'joy', happy: 'joy', angry: 'anger', sad: 'sadness' },
  },
}

/** For each label of a model the answer it counts for, as a position among the answers; null where it counts for none. */
export type LabelAnswers = readonly (number | null)[]

/**
 * Which labels of a model count for which answer. `chosen` is what the user says, label by label: for a detector the labels
 * that count, else `label=answer`. Without it labels count by their names; of two labels that are only numbered the
 * second one counts, as everywhere. A fault says what would be right.
 */
export function answersOfLabels(
  { answers, otherNames }: HeadQuestion,
  labels: readonly string[],
  chosen: readonly string[] | undefined,
): LabelAnswers | { readonly fault: string } {
  const answerNamed = (name: string) => {
    const found = answers.indexOf(otherNames[name] ?? name)
    return found < 0 ? null : found
  }
  const byName = labels.map((label) => answerNamed(plainName(label)))
  if (answers.length > 1) return severalAnswers(answers, labels, byName, chosen ?? [])
  if (chosen) return chosenLabels(labels, chosen)
  if (byName.includes(0)) return byName
  const areNumbered = labels.every((label, at) => plainName(label) === `label_${at}`)
  if (labels.length === 2 && areNumbered) return [null, 0]
  if (labels.length === 1) return [0]
  return { fault: `none of the labels ${labels.join(', ')} is known to mean ${answers[0]}` }
}

function chosenLabels(
  labels: readonly string[],
  chosen: readonly string[],
): LabelAnswers | { readonly fault: string } {
  const unknown = chosen.find((name) => !labels.includes(name))
  if (unknown !== undefined) return { fault: `there is no label ${unknown} among ${labels.join(', ')}` }
  return labels.map((label) => (chosen.includes(label) ? 0 : null))
}

// Where several answers compete, a label that counts for none would make the others look more certain than the model is.
function severalAnswers(
  answers: readonly string[],
  labels: readonly string[],
  byName: LabelAnswers,
  chosen: readonly string[],
): LabelAnswers | { readonly fault: string } {
  const counted = [...byName]
  for (const pair of chosen) {
    const [label = '', answer = ''] = splitAtLast(pair, '=')
    const at = labels.indexOf(label)
    if (at < 0) return { fault: `there is no label ${label} among ${labels.join(', ')}` }
    if (!answers.includes(answer)) return { fault: `${pair} must be label=one of ${answers.join(', ')}` }
    counted[at] = answers.indexOf(answer)
  }
  const open = labels.filter((_, at) => counted[at] === null)
  if (open.length === 0) return counted
  return { fault: `the labels ${open.join(', ')} count for none of ${answers.join(', ')}` }
}

function splitAtLast(text: string, separator: string): string[] {
  const at = text.lastIndexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function plainName(label: string): string {
  return label
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')
}
