/** Hosts that belong to a provider and to nobody else, where each account has an address of its own. */
const OWN_HOSTS: Readonly<Record<string, RegExp>> = {
  azure: /^[a-z0-9][a-z0-9-]{0,62}\.openai\.azure\.com$/,
  bedrock: /^bedrock-runtime\.[a-z0-9][a-z0-9-]{0,62}\.amazonaws\.com$/,
}

/**
 * Whether an organization may name an address beside its key: one that the operator allows, or a host of the provider itself. The
 * service would call any other for it as well, also those that only the service can reach.
 */
export function mayNameAddress(provider: string, address: string, allowed: readonly string[]): boolean {
  if (allowed.includes(address)) return true
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || url.port !== '') return false
  if (url.username !== '' || url.password !== '') return false
  return OWN_HOSTS[provider]?.test(url.hostname) ?? false
}
