import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'

const FOCUSED_ELEMENT = readFileSync(path.join(import.meta.dirname, 'focused-element.js'), 'utf8')
/** Tab goes on from where the focus was, also when that is gone: from before the first element. */
const BEFORE_EVERYTHING = `
  const start = document.createElement('span')
  start.tabIndex = -1
  document.body.prepend(start)
  start.focus()
  start.remove()`
/** A page on which one has to press Tab more often than this to get around is not usable with the keyboard. */
const STOPS_MAX = 250

/** One place where the focus stops. */
export interface Stop {
  /** Of the element, in the order in which they were first focused. */
  readonly number: number
  readonly role: string
  readonly name: string
  readonly isInView: boolean
  /** Whether an outline or a ring shows that it has the focus. */
  readonly isMarked: boolean
}

/** The element with the focus; undefined when none has it. */
export async function focused(page: Page): Promise<Stop | undefined> {
  return (await page.evaluate<Stop | null>(FOCUSED_ELEMENT)) ?? undefined
}

/**
 * Goes through the page with Tab until it is back at the beginning. Fails where the focus cannot be seen and where it does
 * not get on. Tells where it stopped.
 */
export async function walkTabOrder(page: Page): Promise<Stop[]> {
  await page.evaluate(BEFORE_EVERYTHING)
  const stops: Stop[] = []
  for (let count = 0; count < STOPS_MAX; count++) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (stop === undefined || stop.number === stops[0]?.number) return stops
    const where = `${stop.role} "${stop.name}" at ${page.url()}`
    assert.notEqual(stop.number, stops.at(-1)?.number, `the focus does not leave ${where}`)
    assert.ok(stop.isInView, `the focus goes out of view to ${where}`)
    assert.ok(stop.isMarked, `nothing shows the focus on ${where}`)
    stops.push(stop)
  }
  assert.fail(
    `${page.url()} has more than ${STOPS_MAX} stops, or a trap; the last is "${stops.at(-1)?.name}"`,
  )
}

/** Presses Tab until something with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let count = 0; count < STOPS_MAX; count++) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (stop && isNamed(stop, name)) return
  }
  assert.fail(`Tab does not reach ${name} at ${page.url()}`)
}

/** Whether a stop has this name. */
export function isNamed(stop: Stop, name: string | RegExp): boolean {
  return typeof name === 'string' ? stop.name === name : name.test(stop.name)
}
