import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config.ts'
import { judgeAccess } from './judge-access.ts'

function accessOf(env: Record<string, string>) {
  return judgeAccess(readConfig(env).config)
}

test('nobody judges when nothing is configured', () => {
  assert.deepEqual(accessOf({}), { access: {} })
})

for (const [name, value, judge, isJudgeSet] of [
  ['OPENAI_API_KEY', 'sk-1', { apiKey: 'sk-1' }, false],
  ['OPENAI_BASE_URL', 'http://gpu:8000/v1/', { baseUrl: 'http://gpu:8000/v1' }, false],
  ['ASSAY_JUDGE_API_KEY', 'sk-2', { apiKey: 'sk-2' }, true],
  ['ASSAY_JUDGE_BASE_URL', 'http://gpu:8000/v1//', { baseUrl: 'http://gpu:8000/v1' }, true],
] as const) {
  test(`${name} alone makes gpt-4o the judge`, () => {
    assert.deepEqual(accessOf({ [name]: value }), {
      defaultModel: { provider: 'openai', model: 'gpt-4o' },
      isJudgeSet,
      judge,
      access: { openai: judge },
    })
  })
}

test('a key of another provider alone names no judge, but can be used', () => {
  assert.deepEqual(accessOf({ ANTHROPIC_API_KEY: 'ak' }), { access: { anthropic: { apiKey: 'ak' } } })
})

test('the judge and evaluators with a provider of their own can be called differently', () => {
  const both = accessOf({
    ASSAY_JUDGE_BASE_URL: 'http://judge/v1',
    ASSAY_JUDGE_API_KEY: 'judge-key',
    OPENAI_BASE_URL: 'http://custom/v1',
    OPENAI_API_KEY: 'custom-key',
  })
  assert.deepEqual(both.judge, { apiKey: 'judge-key', baseUrl: 'http://judge/v1' })
  assert.deepEqual(both.access.openai, { apiKey: 'custom-key', baseUrl: 'http://custom/v1' })
})

test('the settings of the judge belong to its provider alone', () => {
  const { judge, access } = accessOf({
    ASSAY_JUDGE_MODEL: 'anthropic/claude',
    ASSAY_JUDGE_BASE_URL: 'http://judge',
    ANTHROPIC_API_KEY: 'ak',
    OPENAI_API_KEY: 'ok',
  })
  assert.deepEqual(judge, { apiKey: 'ak', baseUrl: 'http://judge' })
  assert.deepEqual(access, {
    anthropic: { apiKey: 'ak', baseUrl: 'http://judge' },
    openai: { apiKey: 'ok' },
  })
})

test('a judge that is named without any access is known but cannot be called', () => {
  assert.deepEqual(accessOf({ ASSAY_JUDGE_MODEL: 'google/gemini-3-flash' }), {
    defaultModel: { provider: 'google', model: 'gemini-3-flash' },
    isJudgeSet: true,
    access: {},
  })
})

test('a model without a provider is one of OpenAI or of a compatible server', () => {
  const { defaultModel } = accessOf({ ASSAY_JUDGE_MODEL: 'meta-llama/Llama-3.1-8B-Instruct' })
  assert.deepEqual(defaultModel, { provider: 'openai', model: 'meta-llama/Llama-3.1-8B-Instruct' })
})

test('addresses of Azure and Bedrock are made from resource and region', () => {
  const { access } = accessOf({
    AZURE_API_KEY: 'az',
    AZURE_RESOURCE_NAME: 'my-resource',
    AWS_BEARER_TOKEN_BEDROCK: 'bt',
    AWS_REGION: 'eu-central-1',
    GEMINI_API_KEY: 'gk',
  })
  assert.deepEqual(access, {
    azure: { apiKey: 'az', baseUrl: 'https://my-resource.openai.azure.com/openai/v1' },
    bedrock: { apiKey: 'bt', baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com' },
    google: { apiKey: 'gk' },
  })
  assert.equal(
    accessOf({ AZURE_API_KEY: 'az', AZURE_RESOURCE_NAME: 'r', AZURE_BASE_URL: 'http://gw' }).access.azure
      ?.baseUrl,
    'http://gw',
  )
  assert.equal(
    accessOf({ GEMINI_API_KEY: 'gk', GOOGLE_GENERATIVE_AI_API_KEY: 'goog' }).access.google?.apiKey,
    'goog',
  )
})
