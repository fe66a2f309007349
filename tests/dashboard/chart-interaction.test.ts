import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openStage, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const { stage, skip } = await openStage()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

describe('charts of a monitor', { skip }, () => {
  const here = stage as Stage

  async function get(path: string): Promise<Json> {
    const { url, key } = here.showcase
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    return answer.json()
  }

  async function signedIn(work: (watched: WatchedPage, path: string) => Promise<void>): Promise<void> {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    const { monitors } = await get('/v2/monitors?evaluator_type=faithfulness')
    await work(watched, `/monitors/${monitors[0].id}`)
    watched.assertClean()
    await context.close()
  }

  const queryOf = ({ page }: WatchedPage) => new URL(page.url()).searchParams
  const chartOf = ({ page }: WatchedPage) => page.getByRole('slider', { name: /over time$/ })

  /** The moment at a share of the width of a chart, and where that is on the screen. */
  async function placeAt(watched: WatchedPage, share: number): Promise<{ x: number; y: number }> {
    await chartOf(watched).scrollIntoViewIfNeeded()
    const box = await chartOf(watched).locator('.u-over').boundingBox()
    assert.ok(box)
    return { x: box.x + share * box.width, y: box.y + box.height / 2 }
  }

  /** The listed units are those that the bucket in the address counts. */
  async function assertListed(watched: WatchedPage, path: string, aggregation: string): Promise<void> {
    await watched.page.waitForURL(/[?&]unit_from=/)
    const query = queryOf(watched)
    const [from, to] = [query.get('unit_from') ?? '', query.get('unit_to') ?? '']
    const series = await get(`/v2${path}/series?bucket=6h&aggregation=${aggregation}&from=${from}&to=${to}`)
    const [point] = series.points
    assert.equal(Date.parse(point.time), Date.parse(from))
    const failed = Math.round((1 - point.value) * point.count)
    const expected = query.get('verdict') === 'fail' ? failed : point.coverage.total
    const rows = watched.page.getByRole('region', { name: 'Evaluations' }).locator('tbody tr')
    await watched.page.getByText(/^Only units that began/).waitFor()
    await watched.page.waitForFunction(
      `document.querySelectorAll('#evaluations tbody tr').length === ${expected}`,
    )
    assert.equal(await rows.count(), expected)
  }

  test('Enter at a point and a row of the table list its evaluations, failures first for a pass rate', () =>
    signedIn(async (watched, path) => {
      const { page } = watched
      await watched.open(`${path}?range=7d&aggregation=pass_rate`)
      await chartOf(watched).focus()
      await page.keyboard.press('Home')
      assert.match((await chartOf(watched).getAttribute('aria-valuetext')) ?? '', /, Pass rate: [\d.]+%$/)
      await page.keyboard.press('Enter')
      await assertListed(watched, path, 'pass_rate')
      await page.getByRole('button', { name: 'Show the whole range' }).click()
      assert.equal(queryOf(watched).get('unit_from'), null)
      await page.getByRole('button', { name: 'Show as table' }).click()
      const rows = page.getByRole('region', { name: 'Pass rate over time, as a table' }).locator('tbody tr')
      const perfect = rows.filter({ hasText: '100%' }).first()
      await perfect.getByRole('button').click()
      assert.equal(queryOf(watched).get('verdict'), null)
      await assertListed(watched, path, 'pass_rate')
      await page.goBack()
      assert.equal(queryOf(watched).get('unit_from'), null)
    }))

  test('a click lists a point, a drag zooms in, and the way out is a button or Back', () =>
    signedIn(async (watched, path) => {
      const { page } = watched
      await watched.open(`${path}?range=7d`)
      await chartOf(watched).focus()
      await page.keyboard.press('End')
      const last = Number(await chartOf(watched).getAttribute('aria-valuenow'))
      const end = Number(await chartOf(watched).getAttribute('aria-valuemax'))
      const { x, y } = await placeAt(watched, last / end)
      await page.mouse.click(x, y)
      await assertListed(watched, path, 'average')
      await page.goBack()
      const [from, to] = [await placeAt(watched, 0.25), await placeAt(watched, 0.5)]
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move(to.x, to.y, { steps: 4 })
      await page.mouse.up()
      await page.waitForURL(/[?&]from=/)
      assert.equal(queryOf(watched).get('unit_from'), null)
      const lengthOf = () =>
        Date.parse(queryOf(watched).get('to') ?? '') - Date.parse(queryOf(watched).get('from') ?? '')
      // A quarter of 29 buckets of six hours, to the minute and the pixel.
      assert.ok(Math.abs(lengthOf() / 3_600_000 - (29 * 6) / 4) < 7, `${lengthOf()} ms`)
      const zoomed = lengthOf()
      await page.reload()
      await watched.settled()
      assert.match(await page.getByLabel('Time range').locator('option:checked').innerText(), / to /)
      await page.getByRole('button', { name: 'Zoom out' }).click()
      assert.ok(Math.abs(lengthOf() - 2 * zoomed) <= 120_000)
      await page.goBack()
      await page.goBack()
      assert.equal(queryOf(watched).get('range'), '7d')
    }))

  test('the keyboard marks a stretch and zooms in', () =>
    signedIn(async (watched, path) => {
      const { page } = watched
      await watched.open(`${path}?range=7d`)
      await chartOf(watched).focus()
      await page.keyboard.press('Home')
      for (let press = 0; press < 3; press++) await page.keyboard.press('Shift+ArrowRight')
      await page.keyboard.press('Enter')
      await page.waitForURL(/[?&]from=/)
      assert.equal(queryOf(watched).get('unit_from'), null)
      assert.ok(Date.parse(queryOf(watched).get('to') ?? '') > Date.parse(queryOf(watched).get('from') ?? ''))
    }))

  test('a custom range is entered in local time, checked, and kept in the address', () =>
    signedIn(async (watched, path) => {
      const { page } = watched
      await watched.open(path)
      await page.getByLabel('Time range').selectOption({ label: 'Custom range…' })
      await page.getByText('Times are in Europe/Vienna.').waitFor()
      await page.getByLabel('From', { exact: true }).fill('2026-07-02T00:00')
      await page.getByLabel('To', { exact: true }).fill('2026-07-01T00:00')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText('The end must be after the start.').waitFor()
      await page.getByLabel('To', { exact: true }).fill('2026-07-03T12:30')
      await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByRole('heading', { name: 'Custom range' }).waitFor({ state: 'detached' })
      // Summer time is two hours ahead of UTC.
      assert.equal(queryOf(watched).get('from'), '2026-07-01T22:00:00.000Z')
      assert.equal(queryOf(watched).get('to'), '2026-07-03T10:30:00.000Z')
      await page.getByText(/^Nothing was evaluated from/).waitFor()
    }))

  test('bars and outcomes list what they count, and the previous period is drawn and told', () =>
    signedIn(async (watched, path) => {
      const { page } = watched
      await watched.open(`${path}?range=7d`)
      await page
        .getByRole('list', { name: /^Values of/ })
        .getByRole('button', { name: /^No/ })
        .click()
      assert.deepEqual([queryOf(watched).get('min'), queryOf(watched).get('max')], ['0', '0'])
      const verdicts = page.getByRole('region', { name: 'Evaluations' }).locator('tbody .badge')
      await verdicts
        .filter({ hasText: /^Faithful/ })
        .first()
        .waitFor({ state: 'detached' })
      await verdicts.filter({ hasText: 'Not faithful' }).first().waitFor()
      await page
        .getByRole('list', { name: 'Units by outcome, over time' })
        .getByRole('button')
        .first()
        .focus()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await page.getByText(/^Only units that began/).waitFor()
      assert.equal(queryOf(watched).get('min'), null)
      await page.getByLabel('Time range').selectOption('24h')
      await page.getByLabel('Compare with the previous period').check()
      await page.getByText(/\(n = \d+\), was [\d.]+% \(n = \d+\) in the previous period\./).waitFor()
      await page.locator('.chart-legend').getByText('Previous period').waitFor()
      await page
        .getByRole('list', { name: 'Changes in this chart' })
        .getByText(/: Deploy /)
        .waitFor({ state: 'attached' })
    }))
})
