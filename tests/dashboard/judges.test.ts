import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  type FakeModel,
  type FakeModelOptions,
  startFakeModel,
} from '../../src/cli/fake-judge/fake-model-server.ts'
import { DASHBOARD_DIR } from '../../src/http/dashboard/dashboard-files.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startService, type TestService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans } from '../support/spans.ts'
import { isOnPostgres } from '../support/test-store.ts'
import { openBrowser } from './open-browser.ts'
import { findStageBrowser, type Stage } from './stage.ts'
import { newPage, type WatchedPage } from './watched-page.ts'

const { executable, skip } = findStageBrowser()
const ANSWERS = Array.from({ length: 12 }, (_, at) => `Answer ${at + 1} of the shop.`)
const RUDE = [2, 5, 7]

interface Scene extends Stage {
  readonly service: TestService
  readonly model: FakeModel
}

/** The strict prompt finds one more answer rude than the lenient one. */
const answer: NonNullable<FakeModelOptions['answer']> = ({ body }) => {
  const prompt = JSON.stringify(body['messages'])
  const rude = prompt.includes('Strictly') ? [...RUDE, 9] : RUDE
  const isRude = rude.some((at) => prompt.includes(`Answer ${at} of the shop.`))
  if (!prompt.includes('of the shop.')) return undefined
  return { content: { pass: !isRude, reason: isRude ? 'It sounds rude.' : 'It is friendly enough.' } }
}

/** A service without any judge, some chats, and people who found three of twelve answers rude, and one more than that. */
async function openScene(chromium: string): Promise<Scene> {
  const model = await startFakeModel({ answer })
  const [browser, service] = await Promise.all([
    openBrowser(chromium),
    startService({ ASSAY_PROVIDER_BASE_URLS: `${model.url}/v1` }, { dashboardDir: DASHBOARD_DIR }),
  ])
  after(async () => {
    await browser.close()
    await model.close()
  })
  const spans = ANSWERS.map((completion, at) =>
    chatSpan(`chat ${at + 1}`, { prompt: `Question ${at + 1}: where is my bell?`, completion }),
  )
  await sendSpans(service, spans)
  for (const at of ANSWERS.keys())
    await service.call('POST', '/v2/scores', {
      body: {
        ...idsOf(`chat ${at + 1}`),
        ...{ name: 'polite', value: !RUDE.includes(at + 1) && at + 1 !== 11, source: 'human' },
      },
    })
  await eventually(async () => {
    const { rows } = (await service.call('GET', '/v2/trial-rows?limit=50')).json
    return rows.length === ANSWERS.length
  }, 'the traces are summed up')
  const showcase = { url: service.url, key: FIRST_KEY, operatorKey: FIRST_KEY } as Stage['showcase']
  return { browser, showcase, service, model }
}

const SKIPPED = isOnPostgres() ? 'a secrets key in a file is only beside an embedded store' : skip

describe('judges in the browser', { skip: SKIPPED }, async () => {
  if (executable === undefined || SKIPPED !== false) return
  const scene = await openScene(executable)
  const { watched } = await newPage(scene)
  const { page } = watched
  await watched.signIn(FIRST_KEY)

  test('a judge is connected at the first start: tested, saved, and in use', async () => {
    await watched.open('/settings?tab=judges')
    await page.getByText('The embedded judge', { exact: true }).waitFor()
    await page.getByLabel('Provider', { exact: true }).selectOption('OpenAI-compatible server')
    await page.getByLabel('API key', { exact: true }).fill('sk-typed-into-the-browser')
    await page.getByLabel('Model', { exact: true }).fill('tiny')
    scene.model.script({ status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' })
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText(/No answer after .*Incorrect API key provided/).waitFor()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText(/^It answered in /).waitFor()
    assert.equal(scene.model.requests.at(-1)?.headers['authorization'], 'Bearer sk-typed-into-the-browser')
    await page.getByRole('button', { name: 'Save and use as the default judge' }).click()
    await page.getByText('Your organization chose it.').waitFor()
    await page.getByRole('button', { name: 'Delete the OpenAI key' }).waitFor()
    assert.equal(await page.getByLabel('API key', { exact: true }).inputValue(), '')
    await checkLook(watched)
  })

  test('the playground shows the verdict, the claims and the judge', async () => {
    await watched.open('/evaluators/faithfulness')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('openai/tiny').first().waitFor()
    await page.locator('.tried-verdict .badge').waitFor()
    await page.getByRole('heading', { name: 'Evidence' }).waitFor()
    await page.locator('.tried-facts', { hasText: 'Tokens' }).waitFor()
    await checkLook(watched)
  })

  test('a judge is tried on many rows, compared with people, and then with its stored version', async () => {
    await watched.open('/evaluators/new')
    await page.getByLabel('Name', { exact: true }).first().fill('Politeness')
    await page.getByText('Question 3: where is my bell?').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Try on 12 rows' }).click()
    const totals = page.getByRole('region', { name: 'Totals of the trial' })
    await totals.waitFor()
    const [draft] = await totals
      .getByRole('row')
      .allInnerTexts()
      .then(([, ...rows]) => rows)
    // Eleven of twelve: chance would make them agree on 7 of 12.
    assert.match(draft ?? '', /This draft\s+9\s+3\s+0\s+91\.7 ?% \(11 of 12\)\s+0\.80 \(n = 12\)/)
    const first = page.getByRole('region', { name: 'Results of the trial' }).getByRole('row').nth(1)
    assert.match(await first.innerText(), /Answer 11 of the shop.*Disagrees with a person/s)
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Politeness' }).waitFor()

    await watched.open('/evaluators/politeness/edit')
    await page.getByLabel('Compare with').selectOption('Version 1')
    await page
      .getByLabel('Text', { exact: true })
      .last()
      .fill('Strictly: is this answer polite?\n\n{{completion}}')
    await page.getByRole('button', { name: 'Try on 12 rows' }).click()
    await page.getByText('The versions differ on 1 of 12 rows.').waitFor()
    const different = page.getByRole('region', { name: 'Results of the trial' }).getByRole('row').nth(1)
    assert.match(await different.innerText(), /Answer 9 of the shop.*Versions differ.*rude.*friendly/s)
    await checkLook(watched)
    assert.equal((await scene.service.call('GET', '/v2/evaluations')).json.evaluations.length, 0)
  })

  test('a chosen verdict rule returns to the default', async () => {
    await watched.open('/evaluators/politeness/edit')
    await page.getByRole('button', { name: 'Return to the default rule' }).click()
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Politeness' }).waitFor()
    const { json } = await scene.service.call('GET', '/v2/evaluators/politeness')
    assert.deepEqual([json.chosen_verdict, json.verdict.rule], [undefined, 'pass is true'])
    watched.assertClean()
  })
})

async function checkLook(watched: WatchedPage): Promise<void> {
  assert.deepEqual(await watched.axeIssues('all'), [])
  assert.ok(await watched.fitsPhone())
}
