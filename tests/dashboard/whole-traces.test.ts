import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Showcase } from '../../demo/showcase-service.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { testId } from '../otlp/encode-traces.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans, untilStatus } from '../support/spans.ts'
import { openBrowser } from './open-browser.ts'
import { findStageBrowser, type Stage } from './stage.ts'
import { newPage } from './watched-page.ts'

const { executable, skip } = findStageBrowser()

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const TRACE = Buffer.from(testId(16, 1)).toString('hex')
const SPAN = Buffer.from(testId(8, 1)).toString('hex')

describe('the dashboard', { skip }, () => {
  test('shows images of a span, and the input of an evaluation of the whole trace', async () => {
    const { stage, evaluation } = await openStageWithTrace(executable ?? '')
    const { watched, context } = await newPage(stage)
    const { page } = watched
    await watched.signIn(FIRST_KEY)

    await watched.open(`/traces/${TRACE}`)
    await page
      .getByRole('button', { name: /chat/ })
      .or(page.getByRole('row', { name: /chat/ }))
      .first()
      .click()
    const image = page.getByRole('img', { name: 'message_0_content_1.png' })
    await image.waitFor()
    assert.equal(
      await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
      1,
    )

    await watched.open(`/evaluations/${evaluation}`)
    const inputs = page.locator('.evaluation-inputs')
    await inputs.getByText('A red pixel.').first().waitFor()
    assert.equal(await page.getByText('The inputs cannot be shown').count(), 0)
    watched.assertClean()
    await context.close()
  })
})

async function openStageWithTrace(browserPath: string): Promise<{ stage: Stage; evaluation: string }> {
  const service = await startService(
    { ASSAY_SETUP_REST_MS: '0', ASSAY_TRACE_QUIET_MS: '0' },
    { dashboardDir: DASHBOARD_DIR },
  )
  const evaluator_configs = [{ slug: 'char-count', scope: 'trace' }]
  const body = { external_id: 'whole', evaluator_configs }
  assert.equal((await service.call('POST', '/v2/auto-monitor-setups', { body })).status, 201)
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  await sendSpans(service, [
    {
      ...{ traceId: testId(16, 1), spanId: testId(8, 1), name: 'chat', startUnixNano },
      endUnixNano: startUnixNano + 1_000_000n,
      attributes: {
        ...{ 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'What is this?' },
        ...{ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': 'A red pixel.' },
      },
    },
  ])
  const path = `/v2/traces/${TRACE}/spans/${SPAN}/images/message_0_content_1.png`
  assert.equal((await service.call('POST', path, { body: { image_data: PNG } })).status, 200)
  await untilStatus(service, 'whole', 'completed')
  const evaluation = await eventually(async () => {
    const { json } = await service.call('GET', `/v2/evaluations?trace_id=${TRACE}`)
    return json.evaluations[0]?.id
  }, 'the trace is evaluated')
  const browser = await openBrowser(browserPath)
  after(() => browser.close())
  const showcase = { url: service.url, key: FIRST_KEY, operatorKey: FIRST_KEY } as Showcase
  return { stage: { browser, showcase }, evaluation }
}
