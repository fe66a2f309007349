import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttributeValue } from '../lib/otlp/span.ts'
import { applicationOf, deployedVersion, WORKFLOW_KEY } from './application.ts'
import { boundedName } from './bounded-name.ts'

function application(service: AttributeValue | undefined, workflow?: AttributeValue): string | undefined {
  const resource = new Map<string, AttributeValue>(service === undefined ? [] : [['service.name', service]])
  return applicationOf(resource, (name) => (name === WORKFLOW_KEY ? workflow : undefined))
}

test('the application of a span is its service, or its workflow where the service has no name of its own', () => {
  assert.equal(application('shop', 'refund'), 'shop')
  for (const unnamed of [undefined, '', 7, 'unknown_service', 'unknown_service:python'])
    assert.deepEqual([application(unnamed, 'refund'), application(unnamed)], ['refund', undefined])
  assert.equal(application('my unknown_service', 'refund'), 'my unknown_service')
  assert.deepEqual([application(undefined, ''), application(undefined, 3)], [undefined, undefined])
})

test('a name is bounded, well formed and worked out once for all spans of a resource', () => {
  const long = 'x'.repeat(2_000)
  assert.equal(application(long), boundedName(long))
  assert.equal(application('half \ud800'), 'half \ufffd')
  const resource = new Map<string, AttributeValue>([['service.name', 'shop']])
  assert.equal(
    applicationOf(resource, () => undefined),
    'shop',
  )
  resource.set('service.name', 'changed')
  assert.equal(
    applicationOf(resource, () => undefined),
    'shop',
  )
})

test('a version is a text that is not empty', () => {
  const versions = ['1.2', '', 3].map((version) => deployedVersion(new Map([['service.version', version]])))
  assert.deepEqual(versions, ['1.2', undefined, undefined])
})
