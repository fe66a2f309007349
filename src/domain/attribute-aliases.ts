/**
 * Attributes that SDKs of different age and language send under different names. A rule on any name of a group looks at
 * all of them. Every group is an equivalence class: each of its names gives the same group.
 *
 * - `gen_ai.X` and `llm.X` are one attribute for every X. Go, Ruby and old Python SDKs say `llm.X`, newer ones `gen_ai.X`,
 *   and the vendor's store shows `llm.X` to those who write selectors. No SDK uses the two for different things.
 * - The suffixes of one line of FAMILIES are one X: the words of the conventions changed too, not only the prefix.
 * - `prompts.N.rest` is `prompt.N.rest` and `completions.N.rest` is `completion.N.rest`.
 *
 * Left out on purpose, because the values differ and not just the names: `llm.request.type` (`completion`) and
 * `gen_ai.operation.name` (`text_completion`); `response.stop_reason` and `response.finish_reasons`; the JSON of
 * `gen_ai.input.messages` and the text of `gen_ai.prompt.N.content`; OpenInference's `llm.model_name`, `llm.provider` and
 * `llm.token_count.*`, which are another dialect and not an older name.
 */

// Each line: the name in today's OpenTelemetry conventions, then the older ones.
const FAMILIES: readonly (readonly string[])[] = [
  ['provider.name', 'system', 'vendor'],
  ['usage.input_tokens', 'usage.prompt_tokens'],
  ['usage.output_tokens', 'usage.completion_tokens'],
  ['usage.cache_read.input_tokens', 'usage.cache_read_input_tokens'],
  ['usage.cache_creation.input_tokens', 'usage.cache_creation_input_tokens'],
  ['request.temperature', 'temperature'],
  ['request.top_p', 'top_p'],
  ['request.top_k', 'top_k'],
  ['request.frequency_penalty', 'frequency_penalty'],
  ['request.presence_penalty', 'presence_penalty'],
  ['request.stop_sequences', 'chat.stop_sequences'],
  ['response.finish_reasons', 'response.finish_reason'],
]
const FAMILY_OF = new Map(FAMILIES.flatMap((family) => family.map((suffix) => [suffix, family] as const)))

/** The vendor of a model, whose texts compare without regard to case: `OpenAI` is what old SDKs say and `openai` new ones. */
const VENDOR = 'gen_ai.provider.name'

const PREFIXED = /^(?:gen_ai|llm)\.(.+)$/s
const INDEXED = /^(prompt|completion)s?(\.\d+(?:\..*)?)$/s

/** Every name of the attribute that `key` names, `key` among them, the most current name first. */
export function attributeAliases(key: string): readonly string[] {
  const suffix = PREFIXED.exec(key)?.[1]
  if (suffix === undefined) return [key]
  return suffixesLike(suffix).flatMap((like) => [`gen_ai.${like}`, `llm.${like}`])
}

/** Whether upper and lower case are the same in the values of this attribute, whichever of its names is given. */
export function ignoresCase(key: string): boolean {
  return attributeAliases(key)[0] === VENDOR
}

function suffixesLike(suffix: string): readonly string[] {
  const [, noun, rest] = INDEXED.exec(suffix) ?? []
  if (noun !== undefined && rest !== undefined) return [`${noun}${rest}`, `${noun}s${rest}`]
  return FAMILY_OF.get(suffix) ?? [suffix]
}
