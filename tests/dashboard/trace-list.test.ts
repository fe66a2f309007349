import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openStage, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const { stage, skip } = await openStage()

describe('the list of traces', { skip }, () => {
  const here = stage as Stage

  async function signedIn(work: (watched: WatchedPage, page: Page) => Promise<void>): Promise<void> {
    const { watched, context } = await newPage(here)
    await watched.signIn(here.showcase.key)
    await work(watched, watched.page)
    watched.assertClean()
    await context.close()
  }
  const rowsOf = (page: Page) => page.getByRole('region', { name: 'Traces' }).locator('tbody tr')
  const headsOf = (page: Page) =>
    page.getByRole('region', { name: 'Traces' }).getByRole('columnheader').allInnerTexts()

  test('shows questions, answers and scores, and the keyboard goes through it', () =>
    signedIn(async (watched, page) => {
      await watched.open('/traces')
      const heads = await headsOf(page)
      assert.deepEqual(heads.slice(0, 4), ['Name', 'Input', 'Output', 'Scores'])
      const excerpts = await page.locator('.trace-excerpt').allInnerTexts()
      assert.ok(excerpts.filter((text) => /\w+ \w+/.test(text)).length > 20, excerpts.join('\n'))
      const dot = page.getByRole('list', { name: 'Scores' }).first().getByRole('listitem').first()
      assert.match((await dot.getAttribute('title')) ?? '', /^[\w-]+: \w/)
      assert.equal(await dot.locator('svg').count(), 1, 'a sign beside the colour')
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      assert.ok(await watched.fitsPhone())
      for (const key of ['j', 'j', 'k', 'j']) await page.keyboard.press(key)
      const current = page.locator('tr[aria-current="true"]')
      assert.equal(await current.count(), 1)
      const href = await rowsOf(page).nth(1).getByRole('link').first().getAttribute('href')
      assert.equal(await current.getByRole('link').first().getAttribute('href'), href)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${href}`)
    }))

  test('marks what a search has found', () =>
    signedIn(async (watched, page) => {
      await watched.open('/traces')
      await page.getByRole('searchbox').fill('Order')
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.locator('mark').first().waitFor()
      const marks = await page.locator('mark').allInnerTexts()
      assert.ok(
        marks.every((text) => text.toLowerCase() === 'order'),
        marks.join(),
      )
      assert.equal((await headsOf(page))[1], 'Match')
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
    }))

  test('saves columns and filters as a view, opens with the default one, and exports what is filtered', () =>
    signedIn(async (watched, page) => {
      await watched.open('/traces?status=error')
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'Model' }).check()
      await page.getByRole('checkbox', { name: 'Output' }).uncheck()
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('button', { name: 'Save as view' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Failures')
      await page.getByRole('checkbox', { name: 'Open the list with this view' }).check()
      await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
      const views = page.getByRole('group', { name: 'Saved views' })
      const own = views.getByRole('button', { name: 'Failures (default)' })
      await own.waitFor()
      assert.equal(await own.getAttribute('aria-pressed'), 'true')
      await views.getByRole('button', { name: 'All traces' }).click()
      await page.getByRole('list', { name: 'Filters that hold' }).waitFor({ state: 'detached' })
      await watched.open('/traces')
      await page.getByRole('button', { name: 'Remove the filter Status: error' }).waitFor()
      const heads = await headsOf(page)
      assert.ok(heads.includes('Model') && !heads.includes('Output'), heads.join())
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export CSV' }).click(),
      ])
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
      assert.match(lines[0] ?? '', /,input,output,/)
      assert.ok(
        lines.length > 1 && lines.slice(1).every((line) => line.includes(',error,')),
        lines.join('\n'),
      )
      await page.getByRole('button', { name: 'Delete view' }).click()
      await own.waitFor({ state: 'detached' })
    }))

  test('a setup asks before it is deleted, and Undo restores its monitors', () =>
    signedIn(async (watched, page) => {
      await watched.open('/setups')
      const link = page.getByRole('link', { name: 'faithfulness' }).first()
      const href = await link.getAttribute('href')
      const row = page.locator('tr', { has: link })
      const name = await row.getByRole('link').first().innerText()
      await row.getByRole('button', { name: /^Delete/ }).click()
      const dialog = page.getByRole('dialog', { name: `Delete “${name}”?` })
      await dialog.getByText(/monitors? stops?: .*faithfulness/).waitFor()
      await dialog.getByText(/evaluations are kept/).waitFor()
      assert.equal((await watched.axeIssues('all')).join('\n'), '')
      await dialog.getByRole('button', { name: 'Delete setup' }).click()
      await row.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText(`Restored “${name}” with its monitors.`).waitFor()
      assert.equal(await page.getByRole('link', { name: 'faithfulness' }).first().getAttribute('href'), href)
      await watched.open(href ?? '')
      await page.getByText('Active', { exact: true }).first().waitFor()
    }))
})
