import { useEffect, useRef, useState } from 'react'
import { postLines } from '../../api/post-lines.ts'
import type { TrialLine, TrialResult, TrialRow, TrialSummary } from './trial-types.ts'

/** The state of a trial. */
export interface TrialState {
  readonly isRunning: boolean
  readonly isCancelled: boolean
  /** The rows it runs on, in the order of `row` of its results. */
  readonly rows: readonly TrialRow[]
  readonly candidates: readonly string[]
  readonly results: readonly TrialResult[]
  readonly summary?: TrialSummary
  readonly error?: unknown
}

/** A trial as it is asked for. */
export interface TrialRequest {
  readonly rows: readonly TrialRow[]
  /** The names of the candidates. */
  readonly candidates: readonly string[]
  /** The body of the request. */
  readonly body: unknown
}

const IDLE: TrialState = { isRunning: false, isCancelled: false, rows: [], candidates: [], results: [] }

/** Runs a trial and shows its results as they come. Leaving the page cancels it. */
export function useTrial() {
  const [state, setState] = useState<TrialState>(IDLE)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = async ({ rows, candidates, body }: TrialRequest) => {
    const stopping = new AbortController()
    running.current?.abort()
    running.current = stopping
    setState({ ...IDLE, isRunning: true, rows, candidates })
    const change = (part: (before: TrialState) => Partial<TrialState>) =>
      setState((before) => (running.current === stopping ? { ...before, ...part(before) } : before))
    try {
      for await (const line of postLines<TrialLine>('/v2/evaluators/trials', body, stopping.signal)) {
        if ('result' in line) change(({ results }) => ({ results: [...results, line.result] }))
        else change(() => ({ summary: line.summary }))
      }
    } catch (error) {
      change(() => (stopping.signal.aborted ? { isCancelled: true } : { error }))
    }
    change(() => ({ isRunning: false }))
  }
  return { state, start, cancel: () => running.current?.abort() }
}
