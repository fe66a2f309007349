import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defined } from './defined.ts'

test('leaves out what is undefined, and nothing else', () => {
  const fields = { text: 'a', nothing: undefined, empty: '', zero: 0, no: false, none: null }
  assert.deepEqual(defined(fields), { text: 'a', empty: '', zero: 0, no: false, none: null })
  assert.deepEqual(Object.keys(defined({ nothing: undefined })), [])
})
