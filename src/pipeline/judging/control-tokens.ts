import { HARMLESS_SIGNS } from '../../domain/harmless-signs.ts'

/**
 * Servers turn certain strings into control tokens of their models, also inside the text of a turn: what follows would be a
 * turn of its own. Here such strings lose the sign that makes them one and stay readable. Signs are replaced and never
 * removed, so that what is left and right of a token cannot form another one.
 *
 * Tokens are looked for in a skeleton of the text: without white space and invisible characters, in lower case, and with
 * one sign for all that look like it. Every character that a server may strip or fold before it looks for tokens is folded
 * here too.
 */

/** Names in angle brackets: Llama 2, Mistral, Gemma, Qwen, GLM, MiniMax, Granite, StarCoder, and tags of tool calls. */
const ANGLE_NAMES = [
  's|bos(?:_token)?|eos(?:_token)?|unk|pad|mask|cls|sep|sop|eop|eod|eot',
  '(?:start|end)_of_(?:turn|role|image|audio|text|sentence|message)|beginning_of_(?:sentence|text)|(?:begin|end)oftext',
  'im_(?:start|end|sep)|image_soft_token|image|img|audio|video|box|quad|ref',
  'think|thinking|answer|reasoning|scratchpad',
  'tools?|tool_(?:call|calls|response|responses|result|results|code|outputs?|use|list)|minimax:tool_calls?|available_tools',
  'functions?|function_(?:call|calls|response|results)|arg_(?:key|value)|observation',
  'system|user|assistant|human|model|developer|instructions?',
  'fim[_-](?:prefix|middle|suffix|pad)|file_sep|repo_name|filename|reponame|gh_stars|issue_(?:start|comment|closed)',
  'jupyter_(?:start|text|code|output)|empty_output|commit_(?:before|msg|after)',
  'extra_id_\\d+|unused_?\\d+|reserved_?\\d+|special_\\d+|0x[0-9a-f]{2}',
].join('|')

/** Names in square brackets: Mistral, GLM, BERT. */
const SQUARE_NAMES = [
  'inst|system_prompt|available_tools|tool_calls?|tool_results?|tool_content|call_id|args|think|model_settings',
  'prefix|suffix|middle|img|img_break|img_end|audio|begin_audio|transcribe|control_\\d+|reference_doc_\\d+',
  'gmask|smask|mask|cls|sep|pad|unk|bos|eos|unused\\d+',
].join('|')

/** Matches the sign of a skeleton that makes a token of what stands around it; `role` also stands at the beginning of a turn. */
const TOKEN_SIGNS = new RegExp(
  [
    // Everything between <| and |>, which most families use, and [| and |] of EXAONE.
    '[<[](?=\\|)',
    '(?<=\\|)[>\\]]',
    // The marks of a fence.
    '<(?=/?data-)',
    `<(?=/?(?:${ANGLE_NAMES})/?>)`,
    '<(?=/?(?:antml:)?(?:function_calls|invoke|parameter))',
    '<(?=<?/?sys>)',
    `\\[(?=/?(?:${SQUARE_NAMES})\\])`,
    // MiniMax: ]~!b[ ]~b] [e~[
    '\\](?=~!?b[\\[\\]])',
    '\\[(?=e~\\[)',
    '(?<=(?<role>human|assistant)):',
  ].join('|'),
  'g',
)

/** Signs and letters that look like an ASCII one and that NFKC leaves as they are. */
const LOOKALIKES = new Map(
  Object.entries({
    '<': '‹❮〈〈⟨⟪《˂ᐸ≪',
    '>': '›❯〉〉⟩⟫》˃ᐳ≫',
    '[': '⟦〔【⁅',
    ']': '⟧〕】⁆',
    '|': '∣ǀ│┃❘❙⎪⏐╎┆│￨¦',
    ':': '∶꞉ː׃܃',
    '/': '∕⁄⧸╱',
    '-': '‐‑‒–—−',
    _: '▁＿﹍ˍ',
    a: 'аα',
    b: 'Ьƅ',
    c: 'сϲ',
    d: 'ԁ',
    e: 'еεҽ',
    g: 'ɡ',
    h: 'һ',
    i: 'іıι',
    k: 'κк',
    l: 'ⅼӏ',
    m: 'м',
    n: 'ոп',
    o: 'оοօ',
    p: 'рρ',
    s: 'ѕ',
    t: 'тτ',
    u: 'υս',
    v: 'νѵ',
    x: 'хχ',
    y: 'уγ',
  }).flatMap(([plain, others]) => [...others].map((other) => [other, plain] as const)),
)

/** Anything that could be a sign of a token, also in full-width and small forms; a text without it has none. */
const SIGNS = new RegExp(
  `[<>[\\]:＜＞［］：﹤﹥﹕${[...LOOKALIKES].map(([sign, plain]) => (plain in HARMLESS_SIGNS ? sign : '')).join('')}]`,
  'u',
)

/** White space, invisible characters and marks that are drawn over the character before. */
const SKIPPED = /^[\s\p{Cf}\p{Cc}\p{M}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}]$/u

/** A text in which no control token is left, in time proportional to its length. A text without any comes back as it is. */
export function defuseControlTokens(text: string): string {
  if (!SIGNS.test(text)) return text
  const { skeleton, places, turns } = skeletonOf(text)
  const replaced: string[] = []
  let done = 0
  for (const match of skeleton.matchAll(TOKEN_SIGNS)) {
    const role = match.groups?.['role']
    if (role !== undefined && !turns.has(match.index - role.length)) continue
    const at = places[match.index] ?? 0
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0)
    replaced.push(text.slice(done, at), HARMLESS_SIGNS[match[0]] ?? '')
    done = at + sign.length
  }
  return done === 0 ? text : replaced.join('') + text.slice(done)
}

interface Skeleton {
  readonly skeleton: string
  /** Where each character of the skeleton stands in the text. */
  readonly places: readonly number[]
  /** The characters of the skeleton that an empty line, or the beginning of the text, stands before. */
  readonly turns: ReadonlySet<number>
}

function skeletonOf(text: string): Skeleton {
  const kept: string[] = []
  const places: number[] = []
  const turns = new Set<number>()
  let lines = 2
  let at = 0
  for (const character of text) {
    const folded = fold(character)
    if (character === '\n') lines++
    if (folded !== '') {
      if (lines > 1) turns.add(kept.length)
      lines = 0
      for (const each of folded) {
        kept.push(each)
        places.push(at)
      }
    }
    at += character.length
  }
  return { skeleton: kept.join(''), places, turns }
}

/** The character's form in the skeleton; empty for an invisible one. */
function fold(character: string): string {
  const code = character.charCodeAt(0)
  if (character.length === 1 && code < 0x80) {
    if (code <= 0x20 || code === 0x7f) return ''
    return code >= 0x41 && code <= 0x5a ? character.toLowerCase() : character
  }
  if (SKIPPED.test(character)) return ''
  const known = LOOKALIKES.get(character)
  if (known !== undefined) return known
  // One character for one, so that a place in the skeleton is a place in the text.
  const normal = character.normalize('NFKC').toLowerCase()
  const [first = '', ...rest] = normal
  return rest.length === 0 ? (LOOKALIKES.get(first) ?? first) : normal
}
