import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChunkIndex, chunksOf } from './chunks.ts'

const sentences = Array.from({ length: 300 }, (_, at) => `Sentence ${at} speaks of nothing.`)
const text = [...sentences, 'A heron stands in the pond.'].join(' ')

test('every sentence is in a chunk, and chunks keep their size', () => {
  const chunks = chunksOf(text, 500)
  for (const sentence of sentences) assert.ok(chunks.some((chunk) => chunk.includes(sentence)))
  assert.ok(chunks.every((chunk) => chunk.length <= 500))
})

test('the chunk that shares rare words with a query comes first', () => {
  const index = new ChunkIndex(chunksOf(text, 500))
  const [best] = index.bestFor('Where does the heron stand?', 3)
  assert.match(index.chunks[best ?? -1] ?? '', /heron/)
})

test('the parts for queries hold all chunks, the best of each query in the first', () => {
  const index = new ChunkIndex(chunksOf(text, 500))
  const parts = index.partsFor(['the heron', 'sentence 17'], 2_000)
  assert.ok(parts.length > 3)
  assert.match(parts[0] ?? '', /heron/)
  assert.match(parts[0] ?? '', /Sentence 17 /)
  for (const chunk of index.chunks) assert.ok(parts.some((part) => part.includes(chunk)))
  for (const part of parts) assert.ok(part.length <= 2_000)
})
