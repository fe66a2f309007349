import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../tests/support/recording-logger.ts'
import { eventually } from '../../tests/support/spans.ts'
import type { ClaimTurns } from '../ports/work-storage.ts'
import { EXTRA_PLACES, TaskLoop } from './task-loop.ts'

/** A loop over tasks that wait by project, as a store would give them out; none ends before the test says so. */
function loopOf(tasksMax: number) {
  const waiting: number[] = []
  const running: { project: number; end: () => void }[] = []
  const begun: number[] = []
  const loop = new TaskLoop<number>({
    name: 'test',
    pauseMs: 60_000,
    tasksMax,
    logger: recordingLogger([]),
    projectOf: (project) => project,
    async claim(free, { ahead, resting }: ClaimTurns) {
      const places = waiting.filter((project) => !resting.includes(project))
      places.sort((left, right) => ahead.indexOf(left) - ahead.indexOf(right))
      const taken = places.slice(0, free)
      for (const project of taken) waiting.splice(waiting.indexOf(project), 1)
      return taken
    },
    run: (project) =>
      new Promise((resolve) => {
        begun.push(project)
        const task = {
          project,
          end: () => {
            running.splice(running.indexOf(task), 1)
            resolve()
          },
        }
        running.push(task)
      }),
  })
  const endOne = (project: number) => running.find((task) => task.project === project)?.end()
  return { loop, waiting, running, begun, endOne }
}

test('a project that holds no place is served at once while another fills all of them for ever', async () => {
  const { loop, waiting, running, begun, endOne } = loopOf(2)
  waiting.push(...Array.from({ length: 20 }, () => 1))
  loop.start()
  await eventually(async () => running.length === 2, 'both places are taken')
  for (let at = 0; at < 3; at++) {
    waiting.push(2)
    loop.wake()
    await eventually(async () => running.some(({ project }) => project === 2), 'the quiet project is served')
    endOne(2)
    await eventually(async () => !running.some(({ project }) => project === 2), 'its task ends')
  }
  assert.deepEqual(begun, [1, 1, 2, 2, 2], 'and the one that fills them gets no more')
  waiting.length = 0
  while (running.length > 0) running[0]?.end()
  await loop.close()
})

test('no more places are used than there are, however many projects wait', async () => {
  const { loop, waiting, running } = loopOf(1)
  waiting.push(...Array.from({ length: 50 }, (_, at) => at + 1))
  loop.start()
  await eventually(async () => running.length === 1 + EXTRA_PLACES, 'all places are taken')
  waiting.length = 0
  while (running.length > 0) running[0]?.end()
  await loop.close()
})
