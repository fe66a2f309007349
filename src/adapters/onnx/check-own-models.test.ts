import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'node:test'
import { modelCopy, modelDir, RUNTIME_DIR, type TestModel } from '../../../tests/support/own-models.ts'
import type { OwnModelHead } from '../../domain/own-model.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import { checkOwnModels } from './check-own-models.ts'

interface Check {
  readonly head?: OwnModelHead
  readonly labels?: readonly string[]
  readonly evaluatorVersion?: number
  readonly runtimeDir?: string | undefined
  readonly trialMsMax?: number
}

async function check(dir: string, { head = 'toxicity', labels, evaluatorVersion = 1, ...rest }: Check = {}) {
  const runtimeDir = 'runtimeDir' in rest ? rest.runtimeDir : RUNTIME_DIR
  const choice = { head, dir, setting: 'THE_MODEL', labelsSetting: 'THE_LABELS' }
  const own = await checkOwnModels([{ ...choice, ...(labels ? { labels } : {}) }], {
    ...(runtimeDir === undefined ? {} : { runtimeDir }),
    evaluatorVersions: { 'toxicity-detector': evaluatorVersion },
    startThread,
    trialMsMax: rest.trialMsMax ?? 60_000,
  })
  const [model] = own?.models ?? []
  assert.ok(model)
  return model
}

/** Changes one JSON file of a copy. */
function changed(name: TestModel, file: string, change: (value: Record<string, unknown>) => void): string {
  const dir = modelCopy(name)
  const value = JSON.parse(readFileSync(path.join(dir, file), 'utf8'))
  change(value)
  writeFileSync(path.join(dir, file), JSON.stringify(value))
  return dir
}

function without(...files: string[]): string {
  const dir = modelCopy('word-piece')
  for (const file of files) rmSync(path.join(dir, file))
  return dir
}

function overwritten(file: string, text: string): string {
  const dir = modelCopy('word-piece')
  writeFileSync(path.join(dir, file), text)
  return dir
}

const configured = (values: Record<string, unknown>) =>
  changed('word-piece', 'config.json', (config) => Object.assign(config, values))

describe('a directory that cannot be used is refused:', () => {
  const cases: readonly (readonly [string, () => string, RegExp])[] = [
    ['none', () => '/no/such/place', /^THE_MODEL=\/no\/such\/place: it is not a directory$/],
    ['a file', () => path.join(modelDir('unigram'), 'config.json'), /config\.json: it is not a directory$/],
    ['without a model', () => without('model.onnx'), /^THE_MODEL=.*: it has no model\.onnx$/],
    ['without a tokenizer', () => without('tokenizer.json'), / has no tokenizer\.json$/],
    [
      'without a tokenizer and a config',
      () => without('tokenizer.json', 'config.json'),
      / has no tokenizer\.json and no config\.json$/,
    ],
    ['with a config that is no JSON', () => overwritten('config.json', '{'), /config\.json cannot be read: /],
    [
      'with a config that is a list',
      () => overwritten('config.json', '[]'),
      /config\.json is not a JSON object$/,
    ],
    [
      'without labels',
      () => configured({ id2label: undefined }),
      /id2label must name the labels 0, 1, \.\.\.$/,
    ],
    ['with a label missing', () => configured({ id2label: { 0: 'a', 2: 'toxic' } }), /id2label must name/],
    [
      'with unknown labels',
      () => configured({ id2label: { 0: 'a', 1: 'b' } }),
      /known to mean toxic; see THE_LABELS$/,
    ],
    [
      'with a label too many',
      () => configured({ id2label: { 0: 'toxic', 1: 'b', 2: 'c' } }),
      /has 3 labels$/,
    ],
    ['with a regression', () => configured({ problem_type: 'regression' }), /problem_type is regression/],
    [
      'with one label that is always certain',
      () => configured({ id2label: { 0: 'toxic' }, problem_type: 'single_label_classification' }),
      /one label alone is always certain$/,
    ],
    [
      'that promises more tokens than it reads',
      () => configured({ max_position_embeddings: 40 }),
      /: model\.onnx, given 40 tokens: ./,
    ],
    ['with a model that is none', () => overwritten('model.onnx', 'no model'), /: model\.onnx: ./],
    ['with a tokenizer that is none', () => overwritten('tokenizer.json', '{}'), /: tokenizer\.json: ./],
    [
      'with weights in a second file',
      () => overwritten('model.onnx_data', ''),
      /keeps the weights beside model\.onnx; export it as one file$/,
    ],
  ]
  for (const [name, make, message] of cases) {
    test(name, async () => {
      await assert.rejects(check(make()), (error: Error) => {
        assert.match(error.message, message)
        return true
      })
    })
  }
})

test('a model under onnx/, as it is often published, is found', async () => {
  const dir = modelCopy('word-piece')
  mkdirSync(path.join(dir, 'onnx'))
  renameSync(path.join(dir, 'model.onnx'), path.join(dir, 'onnx/model.onnx'))
  assert.equal((await check(dir)).modelFile, path.join(dir, 'onnx/model.onnx'))
})

test('a model that would have every evaluation ended is refused', async () => {
  await assert.rejects(
    check(modelDir('word-piece'), { trialMsMax: 1 }),
    /it gave no answer within the 1 ms of ASSAY_EVALUATION_MS_MAX$/,
  )
})

test('the smaller of what model and tokenizer allow is a window', async () => {
  const dir = modelCopy('byte-pairs')
  assert.equal((await check(dir, { head: 'tone' })).windowTokens, 16)
  writeFileSync(path.join(dir, 'tokenizer_config.json'), '{"model_max_length": 9}')
  assert.equal((await check(dir, { head: 'tone' })).windowTokens, 9)
  // Tokenizers without a limit write this number.
  writeFileSync(
    path.join(dir, 'tokenizer_config.json'),
    '{"model_max_length": 1000000000000000019884624838656}',
  )
  assert.equal((await check(dir, { head: 'tone' })).windowTokens, 16)
})

describe('without the package that runs models', () => {
  test('the setting is refused, and the message says what to install', async () => {
    await assert.rejects(
      check(modelDir('word-piece'), { runtimeDir: undefined }),
      /^Error: THE_MODEL needs the package onnxruntime-web/,
    )
  })
  test('a directory that is another package is refused', async () => {
    const zod = path.join(import.meta.dirname, '../../../node_modules/zod')
    await assert.rejects(
      check(modelDir('word-piece'), { runtimeDir: zod }),
      /zod is not the package onnxruntime-web$/,
    )
  })
  test('nothing is asked of those who have no model of their own', async () => {
    assert.equal(await checkOwnModels([], { evaluatorVersions: {}, startThread, trialMsMax: 1 }), undefined)
  })
})

describe('the version of an evaluator', () => {
  const versionOf = async (dir: string, rest?: Check) => (await check(dir, rest)).evaluatorVersion
  test('is the same for the same files, wherever they lie', async () => {
    const version = await versionOf(modelDir('word-piece'))
    assert.equal(await versionOf(modelCopy('word-piece')), version)
    assert.ok(Number.isSafeInteger(version) && version > 1_000)
  })
  test('is another one for another model, tokenizer, config, choice of labels or built-in version', async () => {
    const dir = modelCopy('word-piece')
    const model = readFileSync(path.join(dir, 'model.onnx'))
    // The weight of the word that counts.
    const at = model.indexOf(Buffer.from(Float32Array.of(8).buffer))
    assert.ok(at > 0)
    model.set(Buffer.from(Float32Array.of(7).buffer), at)
    writeFileSync(path.join(dir, 'model.onnx'), model)
    const versions = [
      await versionOf(modelDir('word-piece')),
      await versionOf(dir),
      await versionOf(
        changed('word-piece', 'tokenizer.json', (value) => Object.assign(value, { version: '2' })),
      ),
      await versionOf(configured({ max_position_embeddings: 12 })),
      await versionOf(modelDir('word-piece'), { labels: ['insult'] }),
      await versionOf(modelDir('word-piece'), { evaluatorVersion: 2 }),
    ]
    assert.equal(new Set(versions).size, versions.length)
  })
})
