import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Contestant,
  EXPECTED,
  type JudgeOutcome,
  MODEL,
  QUESTION,
  REQUEST_MS_MAX,
} from './judge-contestant.ts'
import type { JudgeName } from './judge-forms.ts'

const PEERS_DIR = path.join(import.meta.dirname, 'peers/judges')
const resolve = createRequire(path.join(PEERS_DIR, 'package.json')).resolve
const API_KEY = 'sk-nobody'

/**
 * The judges of others, each as its documentation sets it up, with its own prompt and its own number of retries. Only the
 * address of the model and the longest time of a request are set; caches are off. Retries are as they come.
 */
export async function loadJudgePeers(
  baseUrlOf: (name: JudgeName) => string,
  configDir: string,
): Promise<Contestant[]> {
  setQuiet(configDir)
  return [
    await loadAutoevals(baseUrlOf('autoevals')),
    await loadOpenevals(baseUrlOf('openevals')),
    await loadPromptfoo(baseUrlOf('promptfoo')),
  ]
}

/** None of them reports to its maker, looks for updates or answers from a cache. */
function setQuiet(configDir: string): void {
  Object.assign(process.env, {
    OPENAI_API_KEY: API_KEY,
    LANGSMITH_TRACING: 'false',
    PROMPTFOO_CONFIG_DIR: configDir,
    PROMPTFOO_CACHE_ENABLED: 'false',
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
    PROMPTFOO_DISABLE_SHARING: '1',
    REQUEST_TIMEOUT_MS: String(REQUEST_MS_MAX),
    LOG_LEVEL: 'none',
  })
}

async function loadAutoevals(baseURL: string): Promise<Contestant> {
  const { Factuality } = await load('autoevals')
  const OpenAI = (await load('openai')).default
  const client = new OpenAI({ baseURL, apiKey: API_KEY, timeout: REQUEST_MS_MAX })
  return {
    name: 'autoevals',
    title: `autoevals ${versionOf('autoevals')}, Factuality`,
    judge: (output) =>
      attempt(async () => {
        const result = await Factuality({ input: QUESTION, output, expected: EXPECTED, model: MODEL, client })
        return scored(result.score, 'a score of null')
      }),
  }
}

async function loadOpenevals(baseURL: string): Promise<Contestant> {
  const { createLLMAsJudge, CORRECTNESS_PROMPT } = await load('openevals')
  const { ChatOpenAI } = await load('@langchain/openai')
  const judge = new ChatOpenAI({
    model: MODEL,
    apiKey: API_KEY,
    timeout: REQUEST_MS_MAX,
    // Six, which is the default, would take minutes where there is no answer.
    maxRetries: 2,
    configuration: { baseURL },
  })
  const evaluate = createLLMAsJudge({
    prompt: CORRECTNESS_PROMPT,
    feedbackKey: 'correctness',
    judge,
    continuous: true,
  })
  return {
    name: 'openevals',
    title: `openevals ${versionOf('openevals')}, createLLMAsJudge, continuous`,
    judge: (outputs) =>
      attempt(async () => {
        const result = await evaluate({ inputs: QUESTION, outputs, referenceOutputs: EXPECTED })
        return scored(result.score, 'a score that is no number')
      }),
  }
}

async function loadPromptfoo(apiBaseUrl: string): Promise<Contestant> {
  const { assertions, loadApiProvider } = (await load('promptfoo')).default
  const config = { apiBaseUrl, apiKey: API_KEY }
  const provider = await loadApiProvider(`openai:chat:${MODEL}`, { options: { config } })
  const rubric = `The text answers the question "${QUESTION}" rightly: ${EXPECTED}.`
  return {
    name: 'promptfoo',
    title: `promptfoo ${versionOf('promptfoo')}, matchesLlmRubric`,
    judge: (output) =>
      attempt(async () => {
        const result = await assertions.matchesLlmRubric(rubric, output, { provider })
        // It marks what is no verdict of the model; the score of 0 beside the mark is then not held against it.
        if (result.metadata?.graderError === true) return { abstained: 'graderError' }
        return scored(result.score, 'a score that is no number')
      }),
  }
}

async function attempt(judge: () => Promise<JudgeOutcome>): Promise<JudgeOutcome> {
  try {
    return await judge()
  } catch (error) {
    return { abstained: error instanceof Error ? error.name : 'an error' }
  }
}

/**
 * Every value that a peer returns as a score counts as one: true and false are 1 and 0, a text is its number, and a text
 * without a number is a score all the same, because it goes on into every later computation.
 */
function scored(score: unknown, otherwise: string): JudgeOutcome {
  return score === null || score === undefined ? { abstained: otherwise } : { score: Number(score) }
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(path.join(PEERS_DIR, 'node_modules', name, 'package.json'), 'utf8')).version
}

// biome-ignore lint/suspicious/noExplicitAny: packages without types of ours.
function load(name: string): Promise<any> {
  return import(pathToFileURL(resolve(name)).href)
}
