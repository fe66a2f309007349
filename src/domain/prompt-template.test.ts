import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeholdersIn, splitTemplate } from './prompt-template.ts'

test('takes a template apart at its placeholders', () => {
  assert.deepEqual(splitTemplate('Is {{ text }} like {{other}}?{{text}}'), [
    'Is ',
    { placeholder: 'text' },
    ' like ',
    { placeholder: 'other' },
    '?',
    { placeholder: 'text' },
  ])
  assert.deepEqual(splitTemplate('{{a}}'), [{ placeholder: 'a' }])
  assert.deepEqual(splitTemplate(''), [])
})

test('leaves JSON, single braces and what is not closed as they are', () => {
  for (const text of ['{"a": {"b": {}}}', 'Judge {text}', 'open {{text', 'text}}', '{ {text} }']) {
    assert.deepEqual(splitTemplate(text), [text])
  }
})

test('finds a placeholder next to other braces', () => {
  assert.deepEqual(splitTemplate('{{{a}}}'), ['{', { placeholder: 'a' }, '}'])
  assert.deepEqual(splitTemplate('{"text": "{{a}}"}'), ['{"text": "', { placeholder: 'a' }, '"}'])
})

test('names each placeholder once, in order, whatever its name is', () => {
  assert.deepEqual(placeholdersIn('{{b}}{{a}}{{b}}{{#if x}}{{}}'), ['b', 'a', '#if x', ''])
})
