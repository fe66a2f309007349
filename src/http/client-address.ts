import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** Finds the address of the client behind a connection and its `X-Forwarded-For` header. */
export type ClientAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
) => string

/** The address of a connection that has gone before anyone asked for it. */
const UNKNOWN = 'unknown'

/**
 * Reads client addresses behind proxies. `trustedProxies` are addresses and CIDR ranges. The header is read from right to
 * left for as long as the address so far is a trusted proxy, because everything further left was written by the client. An
 * entry that is no address ends the search at the proxy that sent it.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = createAddressMatcher(trustedProxies)
  return (socketAddress, forwardedFor) => {
    let address = plainAddress(socketAddress ?? '') ?? UNKNOWN
    if (trustedProxies.length === 0 || !isTrusted(address)) return address
    const hops = String(forwardedFor ?? '').split(',')
    for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
      const next = plainAddress(hop)
      if (next === undefined) return address
      address = next
    }
    return address
  }
}

/** Tells whether an address lies in one of the ranges; each is an address or a CIDR range. */
export function createAddressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/**
 * The unit that limits per address count by: an IPv4 address, or the /64 of an IPv6 address, which is what one customer
 * gets and can pick addresses from freely.
 */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = 8 - groups.length - (tail === undefined ? 0 : tail.split(':').length)
  const full = tail === undefined ? groups : [...groups, ...Array(Math.max(missing, 0)).fill('0'), tail]
  return `${full
    .slice(0, 4)
    .map((group) => group || '0')
    .join(':')}::/64`
}

/** An address without port, brackets, zone and the IPv6 form of IPv4; undefined when it is no address. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1]
  const withoutPort = bracketed ?? trimmed.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  const address = withoutPort.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/, '')
  return isIPv4(address) || isIPv6(address) ? address : undefined
}
