import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressBlock, createClientAddress } from './client-address.ts'

const CASES: readonly [string, readonly string[], string | undefined, string | undefined, string][] = [
  ['without trusted proxies the header is ignored', [], '10.0.0.1', '1.2.3.4', '10.0.0.1'],
  ['an untrusted sender cannot name another address', ['10.0.0.0/8'], '8.8.8.8', '1.2.3.4', '8.8.8.8'],
  ['a trusted proxy names its client', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4', '1.2.3.4'],
  ['only what proxies appended counts', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4', '1.2.3.4'],
  ['a chain of proxies is followed', ['10.0.0.0/8'], '10.0.0.1', '6.6.6.6, 1.2.3.4,10.9.9.9', '1.2.3.4'],
  ['a chain of proxies alone ends at the last', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
  ['no header leaves the proxy', ['10.0.0.0/8'], '10.0.0.1', undefined, '10.0.0.1'],
  ['nonsense leaves the proxy that sent it', ['10.0.0.1'], '10.0.0.1', '1.2.3.4, unknown', '10.0.0.1'],
  ['a port is cut off', ['10.0.0.1'], '10.0.0.1', '1.2.3.4:5678', '1.2.3.4'],
  ['IPv6 has brackets before a port', ['::1'], '::1', '[2001:DB8::7]:443', '2001:db8::7'],
  ['IPv4 in IPv6 is IPv4', ['10.0.0.0/8'], '::ffff:10.0.0.1', '::ffff:1.2.3.4', '1.2.3.4'],
  ['a range of IPv6', ['fd00::/8'], 'fd12::1', '2001:db8::7', '2001:db8::7'],
  ['a connection that has gone', ['10.0.0.0/8'], undefined, '1.2.3.4', 'unknown'],
]

for (const [name, trusted, socketAddress, forwardedFor, expected] of CASES) {
  test(name, () => {
    assert.equal(createClientAddress(trusted)(socketAddress, forwardedFor), expected)
  })
}

test('several headers are read as one', () => {
  assert.equal(createClientAddress(['10.0.0.0/8'])('10.0.0.1', ['6.6.6.6', '1.2.3.4, 10.0.0.2']), '1.2.3.4')
})

test('IPv6 addresses count by their /64, IPv4 addresses alone', () => {
  assert.equal(addressBlock('1.2.3.4'), '1.2.3.4')
  const same = ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', '2001:db8:1:2::9', '2001:db8:1:2:a::9']
  assert.deepEqual([...new Set(same.map(addressBlock))], ['2001:db8:1:2::/64'])
  assert.notEqual(addressBlock('2001:db8:1:3::1'), addressBlock('2001:db8:1:2::1'))
  assert.equal(addressBlock('::1'), addressBlock('::2'))
  assert.notEqual(addressBlock('fe80::1'), addressBlock('::1'))
})
