import { type AnswerShape, checkAnswer, type ObjectShape } from '../../src/domain/answer-shape.ts'
import { NoVerdict } from '../../src/domain/no-verdict.ts'
import type { GeneratedText, Judge, JudgeQuestion } from '../../src/ports/judge.ts'

/** A question as a scripted answer sees it: the prompt's name and the data in it by label. */
export interface SeenQuestion {
  readonly prompt: string
  readonly data: Readonly<Record<string, string>>
  /** The instructions, without the data. */
  readonly words: string
  /** The lines of the data `items` or `sentences`, each with its id. */
  readonly items: readonly { readonly id: number; readonly text: string }[]
}

/** Answers a question; what it throws, a NoVerdict for example, is what the judge throws. */
export type ScriptedAnswer = (question: SeenQuestion) => unknown

/**
 * Plays the language model in memory: answers by the name of the prompt, without its version (`faithfulness/verify`; the
 * second round is `faithfulness/verify/again`, and falls back to the first). Every answer is checked against the shape
 * that was asked for, as a real judge's is.
 */
export class ScriptedJudge implements Judge {
  readonly asked: SeenQuestion[] = []
  readonly notes: Record<string, unknown> = {}
  readonly #answers: Readonly<Record<string, ScriptedAnswer>>

  constructor(answers: Readonly<Record<string, ScriptedAnswer>>) {
    this.#answers = answers
  }

  // biome-ignore lint/suspicious/noExplicitAny: the port's type follows the shape; here the shape is checked at run time.
  async ask(question: JudgeQuestion<ObjectShape>): Promise<any> {
    const seen = see(question)
    this.asked.push(seen)
    const name = question.prompt.replaceAll(/@\d+/g, '')
    const answer = this.#answers[name] ?? this.#answers[name.replace(/\/again$/, '')]
    if (!answer) throw new Error(`nobody scripted an answer to ${name}`)
    const checked = checkAnswer(question.answer as AnswerShape, answer(seen))
    if ('fault' in checked) throw new NoVerdict('unparseable', checked.fault)
    return checked.answer
  }

  generate(): Promise<GeneratedText> {
    throw new Error('nothing is generated here')
  }

  note(name: string, evidence: unknown): void {
    this.notes[name] = evidence
  }
}

/** A judge that must not be asked: what is tested is decided in code. */
export function silentJudge(): ScriptedJudge {
  return new ScriptedJudge({})
}

/** Takes every sentence as one statement. */
export const oneStatementPerSentence: ScriptedAnswer = ({ items }) => ({
  sentences: items.map(({ id, text }) => ({ id, statements: [text] })),
})

/** Gives each item the verdict and quote that `decide` says. */
export function verdictsBy(
  decide: (text: string, question: SeenQuestion) => readonly [verdict: string, quote?: string],
): ScriptedAnswer {
  return (question) => ({
    items: question.items.map(({ id, text }) => {
      const [verdict, quote = ''] = decide(text, question)
      return { id, quote, reason: 'scripted', verdict }
    }),
  })
}

function see({ prompt, messages }: JudgeQuestion): SeenQuestion {
  const parts = messages.flatMap((message) => message.parts)
  const data = Object.fromEntries(
    parts.flatMap((part) => (typeof part === 'string' ? [] : [[part.label, part.data]])),
  )
  const lines = data['items'] ?? data['sentences'] ?? ''
  return {
    prompt,
    data,
    words: parts.filter((part) => typeof part === 'string').join('\n'),
    items: lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}
