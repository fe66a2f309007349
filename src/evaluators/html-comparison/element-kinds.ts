/**
 * Elements that the parser adds where the author left them out. They never count, written or not, so that a fragment
 * equals the same fragment in its wrappers; their attributes do count.
 */
export const IMPLIED_ELEMENTS: ReadonlySet<string> = new Set(['html', 'head', 'body', 'tbody', 'colgroup'])

/** Elements that begin and end a line: white space at their edges is not seen. Unknown elements are inline. */
export const BLOCK_ELEMENTS: ReadonlySet<string> = new Set(
  `html head body title template noscript frameset frame noframes
  address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form
  h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary ul xmp
  table caption colgroup col thead tbody tfoot tr td th option optgroup legend br`.split(/\s+/),
)

/** Inline elements that are seen as one thing: white space beside them counts, white space at their inner edges not. */
export const INLINE_BOXES: ReadonlySet<string> = new Set(
  `img input button select textarea svg math video audio canvas iframe object embed meter progress`.split(
    /\s+/,
  ),
)

/** Elements whose white space is kept as it is. */
export const PREFORMATTED_ELEMENTS: ReadonlySet<string> = new Set([
  'pre',
  'textarea',
  'listing',
  'plaintext',
  'xmp',
])

/** Elements whose text is code, not seen: kept as it is except at its ends, and no part of the line around it. */
export const CODE_ELEMENTS: ReadonlySet<string> = new Set(['script', 'style'])
