import type { AnswerOf, ObjectShape } from '../../domain/answer-shape.ts'
import { defined } from '../../lib/defined.ts'
import type { GeneratedText, Judge, JudgeQuestion, Replaced } from '../../ports/judge.ts'
import type { Evidence } from './judging-message.ts'

/** A question on its way, still without a number. */
export type Sending =
  | { readonly kind: 'ask'; readonly asked: JudgeQuestion }
  | { readonly kind: 'generate'; readonly prompt: string; readonly replaced?: Replaced }

/** The judge of one evaluation as the judging thread has it: whatever is asked is sent to where the providers are. */
export class RemoteJudge implements Judge {
  readonly #send: (question: Sending) => Promise<unknown>
  readonly #notes: Record<string, unknown> = {}

  constructor(send: (question: Sending) => Promise<unknown>) {
    this.#send = send
  }

  ask<const Shape extends ObjectShape>(asked: JudgeQuestion<Shape>): Promise<AnswerOf<Shape>> {
    return this.#send({ kind: 'ask', asked }) as Promise<AnswerOf<Shape>>
  }

  generate(prompt: string, replaced?: Replaced): Promise<GeneratedText> {
    const sent = this.#send({ kind: 'generate', prompt, ...defined({ replaced }) })
    return sent as Promise<GeneratedText>
  }

  note(name: string, evidence: unknown): void {
    this.#notes[name] = evidence
  }

  /** The notes for a message; empty when there are none. */
  noted(): { evidence?: Evidence } {
    return Object.keys(this.#notes).length === 0 ? {} : { evidence: this.#notes }
  }
}
