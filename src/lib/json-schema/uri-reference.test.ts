import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolveUri } from './uri-reference.ts'

// From the list in RFC 3986, section 5.4, with the base that stands there.
const RFC_BASE = 'http://a/b/c/d;p?q'
const cases: [base: string, reference: string, resolved: string][] = [
  [RFC_BASE, 'g:h', 'g:h'],
  [RFC_BASE, 'g', 'http://a/b/c/g'],
  [RFC_BASE, './g/', 'http://a/b/c/g/'],
  [RFC_BASE, '/g', 'http://a/g'],
  [RFC_BASE, '//g', 'http://g'],
  [RFC_BASE, '?y', 'http://a/b/c/d;p?y'],
  [RFC_BASE, ';x', 'http://a/b/c/;x'],
  [RFC_BASE, '', 'http://a/b/c/d;p?q'],
  [RFC_BASE, '.', 'http://a/b/c/'],
  [RFC_BASE, '..', 'http://a/b/'],
  [RFC_BASE, '../../g', 'http://a/g'],
  [RFC_BASE, '../../../g', 'http://a/g'],
  [RFC_BASE, 'g;x=1/../y', 'http://a/b/c/y'],
  ['http://a', 'g', 'http://a/g'],
  ['', 'g/h', 'g/h'],
  ['', '/g', '/g'],
  ['x/y', 'z', 'x/z'],
  ['x/y', '../z', 'z'],
  ['x', 'urn:a:b', 'urn:a:b'],
  ['urn:a:b', '', 'urn:a:b'],
  ['file:///c:/x/y', 'z', 'file:///c:/x/z'],
]
for (const [base, reference, resolved] of cases) {
  test(`"${reference}" on ${base || 'nothing'} is ${resolved}`, () => {
    assert.equal(resolveUri(base, reference), resolved)
  })
}
