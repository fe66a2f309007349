/** A title longer than this is that of an article, in characters. */
const TITLE_CHARS_MAX = 100

const PHRASES =
  'bad request|unauthori[sz]ed|forbidden|not found|page not found|method not allowed|too many requests|internal server error|server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|access denied|error'

/** The status alone, or with its phrase, then nothing or the name of the site: not `HTTP 404 - Wikipedia`. */
const ERROR_TITLE = new RegExp(
  `^(?:(?:error|http error|http status)?[ :]{0,2}[45]\\d\\d(?:[ :|.–—-]{1,3}(?:${PHRASES}))?|page not found|not found|access denied|forbidden|internal server error|service unavailable|bad gateway|attention required!|just a moment\\.\\.\\.)[.!]?(?:\\s[|–—-]\\s.{0,40})?$`,
  'i',
)

/** Roots of XML answers that are errors: S3 and its kin, SOAP, and the tags that agents put around failures. */
const ERROR_ROOT = /^<(?:error|errors|tool_use_error|tool_error|exception|fault|errorresponse)[\s>]/i

/** Whether a text is markup, that is HTML or XML, and the error that it states; `head` is the trimmed start of it. */
export function readMarkup(head: string): { readonly isMarkup: boolean; readonly sign?: string } {
  if (!head.startsWith('<')) return { isMarkup: false }
  const root = head.startsWith('<?xml') ? head.slice(head.indexOf('?>') + 2).trimStart() : head
  if (ERROR_ROOT.test(root)) return { isMarkup: true, sign: textOf(root) }
  if (root.slice(0, 1000).includes(':Fault>')) return { isMarkup: true, sign: textOf(root) }
  if (!/^<(?:!doctype|html|head|body|h1|center|\?xml|!--)/i.test(head))
    return { isMarkup: head.startsWith('<?xml') }
  const title = elementText(head, /<title[\s>]/i) ?? elementText(head, /<h1[\s>]/i) ?? ''
  return ERROR_TITLE.test(title) ? { isMarkup: true, sign: title } : { isMarkup: true }
}

/** The text of the first such element, undefined when there is none; empty when it is too long for a title. */
function elementText(html: string, opening: RegExp): string | undefined {
  const start = html.search(opening)
  if (start < 0) return undefined
  const from = html.indexOf('>', start) + 1
  const end = html.indexOf('<', from)
  if (end < 0 || end - from > TITLE_CHARS_MAX) return ''
  return html.slice(from, end).replace(/\s+/g, ' ').trim()
}

function textOf(markup: string): string {
  return markup
    .slice(0, 1000)
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
