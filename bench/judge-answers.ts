import { setTimeout as sleep } from 'node:timers/promises'
import type { FakeRequest } from '../src/cli/fake-judge/fake-protocol.ts'
import type { FakeReply } from '../src/cli/fake-judge/fake-reply.ts'
import type { JudgeCase } from './judge-cases.ts'
import type { Contestant, JudgeOutcome } from './judge-contestant.ts'
import { FORMS, type JudgeName, judgeOf } from './judge-forms.ts'

/** After this a judge counts as one that does not come back, in milliseconds. */
const PATIENCE_MS = 60_000
/** How far a score may be from what was meant and still be the same number. */
const ROUNDING = 1e-9

/** The outcome of one case: a right score, no score, or a wrong score. */
export type Verdict = 'right' | 'abstained' | 'wrong'

/** One cell of the table. */
export interface CaseResult {
  readonly verdict: Verdict
  readonly shown: string
  readonly seconds: number
  readonly requests: number
}

/** Plays one case after the other to one judge after the other. `answer` is what the fake model has to be given. */
export class JudgeStage {
  #case: JudgeCase | undefined
  #turns = new Map<JudgeName, number>()
  /** The last request of each judge. */
  readonly lastRequest = new Map<JudgeName, FakeRequest>()

  readonly answer = (request: FakeRequest): FakeReply => {
    const name = judgeOf(request)
    const turn = this.#turns.get(name) ?? 0
    this.#turns.set(name, turn + 1)
    this.lastRequest.set(name, request)
    return this.#case?.reply(FORMS[name], request, turn) ?? {}
  }

  async play(played: JudgeCase, at: number, contestant: Contestant): Promise<CaseResult> {
    const form = FORMS[contestant.name]
    this.#case = played
    this.#turns.set(contestant.name, 0)
    const startedMs = performance.now()
    const judged = `Oslo is the capital of Norway, says page ${at + 1}.${played.judged?.(form) ?? ''}`
    const outcome = await Promise.race([
      contestant.judge(judged),
      sleep(PATIENCE_MS, { abstained: 'did not come back' }, { ref: false }),
    ])
    return {
      ...assess(outcome, played.means && form.scores[played.means]),
      seconds: (performance.now() - startedMs) / 1_000,
      requests: this.#turns.get(contestant.name) ?? 0,
    }
  }
}

/** A score is right when it is what was meant; where nothing was meant beyond doubt, every score is wrong. */
export function assess(
  outcome: JudgeOutcome,
  meant: number | undefined,
): Pick<CaseResult, 'verdict' | 'shown'> {
  if ('abstained' in outcome) return { verdict: 'abstained', shown: outcome.abstained }
  const isRight = meant !== undefined && Math.abs(outcome.score - meant) <= ROUNDING
  return { verdict: isRight ? 'right' : 'wrong', shown: String(outcome.score) }
}
