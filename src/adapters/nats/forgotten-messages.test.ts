import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JetStreamManager } from '@nats-io/jetstream'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { ForgottenMessages } from './forgotten-messages.ts'
import { namesOf } from './nats-options.ts'

const NAMES = namesOf('assay')

/** The state that servers report of a consumer and its stream. The state of the second test cannot be provoked on purpose. */
interface Said {
  readonly doneUpTo: number
  readonly delivered: number
  readonly waiting: number
  readonly inHand: number
  readonly messages: number
  readonly first: number
}

/** Looks once at each state; tells after which looks the consumer was made anew. */
async function looksThatMend(states: readonly Said[]): Promise<number[]> {
  let at = 0
  let created = 0
  const mended: number[] = []
  const said = () => states[at] as Said
  const jsm = {
    consumers: {
      info: async () => ({
        created: String(created),
        ack_floor: { consumer_seq: 0, stream_seq: said().doneUpTo },
        delivered: { consumer_seq: 0, stream_seq: said().delivered },
        num_pending: said().waiting,
        num_ack_pending: said().inHand,
      }),
      delete: async () => true,
    },
    streams: { info: async () => ({ state: { messages: said().messages, first_seq: said().first } }) },
  } as unknown as JetStreamManager
  const forgotten = new ForgottenMessages(jsm, NAMES, { logger: recordingLogger([]) }, async () => {
    mended.push(at)
    created++
  })
  for (; at < states.length; at++) await forgotten.look()
  return mended
}

const idle: Said = { doneUpTo: 488, delivered: 488, waiting: 0, inHand: 0, messages: 0, first: 489 }

test('an empty stream, and messages that wait or are in hand, are left alone', async () => {
  const waiting = { ...idle, doneUpTo: 337, delivered: 337, waiting: 3, messages: 3, first: 338 }
  const inHand = { ...idle, doneUpTo: 337, inHand: 3, messages: 3, first: 338 }
  const later = { ...idle, messages: 1, first: 489 }
  for (const state of [idle, waiting, inHand, later])
    assert.deepEqual(await looksThatMend([state, state, state]), [], JSON.stringify(state))
})

test('messages that the consumer has passed without having them are handed out again', async () => {
  const passed = { ...idle, doneUpTo: 0, messages: 3, first: 338 }
  assert.deepEqual(await looksThatMend([passed, passed]), [1])
  // A new consumer that passes the same ones is not made again; it is when there are others.
  const others = { ...passed, first: 500, delivered: 600 }
  assert.deepEqual(await looksThatMend([passed, passed, passed, passed, others, others]), [1, 5])
})

test('messages that are on their way to be removed are not taken for forgotten ones', async () => {
  const first = { ...idle, doneUpTo: 0, messages: 2, first: 338 }
  const second = { ...idle, doneUpTo: 0, messages: 1, first: 340 }
  assert.deepEqual(await looksThatMend([first, second, idle]), [])
})

test('messages that count as done at two looks are handed out again', async () => {
  const done = { ...idle, messages: 3, first: 338 }
  assert.deepEqual(await looksThatMend([done, done]), [1])
})
