import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayNameAddress } from './provider-address.ts'

const ALLOWED = ['http://localhost:11434/v1']

for (const [provider, address, isAllowed] of [
  ['openai', 'http://localhost:11434/v1', true],
  ['openai', 'http://localhost:11434', false],
  ['openai', 'https://mine.openai.azure.com/openai/v1', false],
  ['azure', 'https://mine.openai.azure.com', true],
  ['azure', 'https://mine.openai.azure.com/openai/deployments/d?api-version=2024-10-21', true],
  ['azure', 'http://mine.openai.azure.com', false],
  ['azure', 'https://mine.openai.azure.com:8443', false],
  ['azure', 'https://user@mine.openai.azure.com', false],
  ['azure', 'https://mine.openai.azure.com.evil.example', false],
  ['azure', 'https://evil.example/mine.openai.azure.com', false],
  ['azure', 'https://a.b.openai.azure.com', false],
  ['azure', 'https://169.254.169.254', false],
  ['bedrock', 'https://bedrock-runtime.eu-central-1.amazonaws.com', true],
  ['bedrock', 'https://s3.eu-central-1.amazonaws.com', false],
  ['azure', 'no address', false],
] as const)
  test(`${address} ${isAllowed ? 'may' : 'must not'} be named for ${provider}`, () => {
    assert.equal(mayNameAddress(provider, address, ALLOWED), isAllowed)
  })
