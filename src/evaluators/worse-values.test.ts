import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLargerWorse } from './worse-values.ts'

test('the rule for guards says which values are the worse ones', () => {
  assert.equal(isLargerWorse('pii-detector', 'has_pii'), true)
  assert.equal(isLargerWorse('perplexity', 'perplexity_score'), true)
  assert.equal(isLargerWorse('uncertainty-detector', 'uncertainty'), true)
  assert.equal(isLargerWorse('toxicity-detector', 'is_safe'), false)
  assert.equal(isLargerWorse('html-comparison', 'similarity_score'), false)
})

test('smaller values are the worse ones where the rule says nothing about the field', () => {
  assert.equal(isLargerWorse('toxicity-detector', 'is_toxic'), false)
  assert.equal(isLargerWorse('tone-detection', 'tone'), false)
  assert.equal(isLargerWorse('somebodys-own', 'score'), false)
})
