import { hasPlaceholderPart } from './placeholders.ts'
import { wordShare } from './word-share.ts'

/** A key without a prefix of its own: the name says whose it is, the exact length says that it is one. */
interface ContextFormat {
  readonly vendor: string
  readonly name: RegExp
  readonly value: RegExp
}

const FORMATS: readonly ContextFormat[] = [
  { vendor: 'IBM Cloud', name: /ibm|cloud|iam|api_?key/i, value: /^[A-Za-z0-9_-]{44}$/ },
  { vendor: 'IBM COS', name: /secret_?(?:access_?)?key|hmac/i, value: /^[0-9a-f]{48}$/ },
  { vendor: 'SoftLayer', name: /softlayer|^-{0,2}sl[_-]?/i, value: /^[0-9a-f]{64}$/ },
  { vendor: 'Cloudant', name: /cloudant|\bcl\b/i, value: /^(?:[0-9a-f]{64}|[a-z]{24})$/ },
  { vendor: 'AWS', name: /aws|secret_?(?:access_?)?key/i, value: /^[A-Za-z0-9/+]{40}$/ },
  { vendor: 'Datadog', name: /datadog|^dd_/i, value: /^(?:[0-9a-f]{32}|[0-9a-f]{40})$/ },
  { vendor: 'Okta', name: /okta/i, value: /^00[A-Za-z0-9_-]{40}$/ },
  { vendor: 'Heroku', name: /heroku/i, value: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i },
  {
    vendor: 'Azure storage',
    name: /account_?key|shared_?access_?key/i,
    value: /^[A-Za-z0-9/+]{43,86}={1,2}$/,
  },
  { vendor: 'Algolia', name: /algolia/i, value: /^[0-9a-f]{32}$/ },
  { vendor: 'Cloudflare', name: /cloudflare|^cf_/i, value: /^(?:[0-9a-f]{37}|[A-Za-z0-9_-]{40})$/ },
  { vendor: 'Facebook', name: /facebook|^fb_/i, value: /^[0-9a-f]{32}$/ },
  { vendor: 'Fastly', name: /fastly/i, value: /^[A-Za-z0-9_-]{32}$/ },
]

/** True when the name names a vendor and the value is exactly as long as that vendor's keys. */
export function isVendorValue(name: string, value: string): boolean {
  if (value.length < 20 || hasPlaceholderPart(value) || wordShare(value) > 0.6) return false
  return FORMATS.some((format) => format.value.test(value) && format.name.test(name))
}
