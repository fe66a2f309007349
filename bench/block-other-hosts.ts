import dns from 'node:dns'
import net from 'node:net'

const LOCAL = new Set(['127.0.0.1', '::1', 'localhost', undefined])

/** Lets this process connect to the loopback address only; tells which other hosts were tried. */
export function blockOtherHosts(): ReadonlySet<string> {
  const tried = new Set<string>()
  const refuse = (host: string): Error => {
    tried.add(host)
    return new Error(`${host} is blocked: a benchmark of judges calls nobody but its own model`)
  }
  const connect = net.Socket.prototype.connect
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the runtime's own function.
  net.Socket.prototype.connect = function (this: net.Socket, ...args: any[]) {
    const [options] = Array.isArray(args[0]) ? args[0] : args
    const host =
      typeof options === 'object' ? options.host : typeof args[1] === 'string' ? args[1] : undefined
    if (LOCAL.has(host)) return Reflect.apply(connect, this, args)
    return this.destroy(refuse(host))
  } as typeof connect
  const lookup = dns.lookup
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the runtime's own function.
  dns.lookup = ((host: string, ...rest: any[]) => {
    if (LOCAL.has(host)) return Reflect.apply(lookup, dns, [host, ...rest])
    process.nextTick(rest.at(-1), refuse(host))
  }) as typeof lookup
  return tried
}
