import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Showcase } from '../../demo/showcase-service.ts'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { FIRST_KEY } from '../support/call.ts'
import { sendRagTraces } from '../support/rag-traces.ts'
import { startService } from '../support/service.ts'
import { openBrowser } from './open-browser.ts'
import { findStageBrowser } from './stage.ts'
import { newPage } from './watched-page.ts'

const { executable, skip } = findStageBrowser()
const TRACES = 24

describe('the dashboard', { skip }, () => {
  test('suggests evaluators when spans arrive, scores them at a click, and fixes a setup at another', async () => {
    const model = await startFakeModel()
    after(() => model.close())
    const service = await startService(
      {
        ...{ ASSAY_JUDGE_BASE_URL: model.url, ASSAY_JUDGE_API_KEY: 'sk-test' },
        ...{ ASSAY_JUDGE_MODEL: 'gpt-4o-mini', ASSAY_SETUP_REST_MS: '0', ASSAY_TRACE_QUIET_MS: '1' },
      },
      { dashboardDir: DASHBOARD_DIR },
    )
    const browser = await openBrowser(executable ?? '')
    after(() => browser.close())
    const showcase = { url: service.url, key: FIRST_KEY, operatorKey: FIRST_KEY } as Showcase
    const { watched, context } = await newPage({ browser, showcase })
    const { page } = watched
    await watched.signIn(FIRST_KEY)

    await page.getByText('Waiting for your first spans').waitFor()
    await sendRagTraces(service, 0, TRACES)
    await page.getByText('We see a retrieval-augmented assistant.').waitFor()
    const answers = page.getByRole('list', { name: 'Your answers with pii-detector' })
    await answers.getByText('Personal data found').first().waitFor()
    assert.deepEqual(await watched.axeIssues('all'), [])
    assert.ok(await watched.fitsPhone())

    const accept = page.getByRole('button', { name: /^Create and score the last/ })
    assert.equal(await accept.innerText(), `Create and score the last ${TRACES} (free)`)
    await page.getByRole('checkbox', { name: /^faithfulness/ }).check()
    assert.match(await accept.innerText(), /\(about \$/)
    await page.getByRole('checkbox', { name: /^faithfulness/ }).uncheck()
    await page.getByRole('checkbox', { name: /^toxicity-detector/ }).uncheck()
    await accept.click()
    await page.getByText(`Scored ${TRACES} traces.`).waitFor()
    await page.getByRole('progressbar', { name: 'Results of pii-detector' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('setup'), 'refund-bot-quality')
    await page.getByRole('link', { name: 'See the results' }).click()
    await page.getByRole('link', { name: 'pii-detector' }).first().waitFor()

    await watched.open('/setups/new?evaluator=faithfulness&view=json')
    await page.locator('textarea').fill(
      JSON.stringify({
        external_id: 'grounded',
        evaluators: ['faithfulness'],
        evaluator_configs: [{ slug: 'faithfulness', scope: 'span' }],
      }),
    )
    await page.getByText('Cannot start').waitFor()
    await page.getByRole('button', { name: 'Take context from the retrieval span' }).click()
    await page.getByText('Ready', { exact: true }).waitFor()
    assert.match(await page.locator('textarea').inputValue(), /"scope": "trace"/)

    await watched.open('/setups')
    await page.getByRole('button', { name: 'Score past traces with refund-bot-quality' }).click()
    await page.getByRole('button', { name: 'Score them' }).click()
    // Everything was scored already, so that nothing is taken.
    await page.getByText(/and took 0 traces\./).waitFor()
    watched.assertClean()
    await context.close()
  })
})
