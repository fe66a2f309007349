import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputText } from './input-text.ts'

test('texts stay as they are', () => {
  assert.equal(inputText(' {"a": 1}\n', 'completion'), ' {"a": 1}\n')
  assert.equal(inputText(''), '')
})

test('lists and objects become JSON text', () => {
  assert.equal(inputText(['a', 'b'], 'prompts'), '["a","b"]')
  assert.equal(inputText({ city: 'Oslo' }), '{"city":"Oslo"}')
  assert.equal(inputText([-0.5, -1], 'logprobs'), '[-0.5,-1]')
})

test('documents are separated by a blank line', () => {
  assert.equal(
    inputText(['Oslo is\nthe capital.', 'Bergen is not.'], 'context'),
    'Oslo is\nthe capital.\n\nBergen is not.',
  )
  assert.equal(inputText([], 'context'), undefined)
})

test('scalars become their text, also beyond what JSON can hold', () => {
  assert.equal(inputText(0), '0')
  assert.equal(inputText(false), 'false')
  assert.equal(inputText(9007199254740993n), '9007199254740993')
  assert.equal(inputText([9007199254740993n]), '["9007199254740993"]')
  assert.equal(inputText(new Uint8Array([104, 105])), 'aGk=')
})

test('nothing stays nothing', () => {
  assert.equal(inputText(undefined), undefined)
  assert.equal(inputText(null), undefined)
})
