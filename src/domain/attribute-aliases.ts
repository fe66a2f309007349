/**
 * Attributes that SDKs of different age and language send under different names. A rule on any name of a group looks at
 * all of them. Every group is an equivalence class: each of its names gives the same group.
 *
 * - `gen_ai.X` and `llm.X` are one attribute for every X. Go, Ruby and old Python SDKs say `llm.X`, newer ones `gen_ai.X`,
 *   and the vendor's store shows `llm.X` to those who write selectors. No SDK uses the two for different things.
 * - The suffixes of one line of FAMILIES are one X: the words of the conventions changed too, not only the prefix.
 * - `prompts.N.rest` is `prompt.N.rest` and `completions.N.rest` is `completion.N.rest`.
 *
 * - OpenInference's `llm.model_name` is the requested model: people who write `gen_ai.request.model` mean it
 *   (docs/decisions/0030-selector-keys.md).
 *
 * Left out on purpose, because the values differ and not just the names: `llm.request.type` (`completion`) and
 * `gen_ai.operation.name` (`text_completion`); `response.stop_reason` and `response.finish_reasons`; the JSON of
 * `gen_ai.input.messages` and the text of `gen_ai.prompt.N.content`; OpenInference's `llm.provider`, which is the host and
 * not the vendor (`azure` where `llm.system` is `openai`), and `llm.token_count.*`. Vercel's `ai.model.id` and
 * `ai.model.provider` are left out because a call's outer span carries them too, and the inner one says `gen_ai.*`.
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

// Names of another dialect, each with the suffix of the attribute it is. They follow no pattern: no client sends `gen_ai.model_name`,
// and every name of an attribute that a rule looks at costs a look at each span.
const OTHER_DIALECT: ReadonlyMap<string, string> = new Map([['llm.model_name', 'request.model']])

const VENDOR = 'gen_ai.provider.name'

// The Vercel AI SDK names the interface of a model behind its vendor: `openai.chat`, `anthropic.messages`. Only these
// endings are taken off, because names of vendors have dots of their own: `azure.ai.openai`, `aws.bedrock`.
const MODEL_INTERFACES: ReadonlySet<string> = new Set([
  ...['chat', 'responses', 'completion', 'messages', 'generative-ai'],
  ...['embedding', 'image', 'transcription', 'speech'],
])

const PREFIXED = /^(?:gen_ai|llm)\.(.+)$/s
const INDEXED = /^(prompt|completion)s?(\.\d+(?:\..*)?)$/s

/** Every name of the attribute that `key` names, `key` among them, the most current name first. */
export function attributeAliases(key: string): readonly string[] {
  const suffix = OTHER_DIALECT.get(key) ?? PREFIXED.exec(key)?.[1]
  if (suffix === undefined) return [key]
  const suffixes = suffixesLike(suffix)
  const names = suffixes.flatMap((like) => [`gen_ai.${like}`, `llm.${like}`])
  const others = [...OTHER_DIALECT].flatMap(([name, like]) => (suffixes.includes(like) ? [name] : []))
  return [...names.filter((name) => !OTHER_DIALECT.has(name)), ...others]
}

/** Whether the attribute is the vendor of a model, whichever of its names is given. */
export function namesVendor(key: string): boolean {
  return attributeAliases(key)[0] === VENDOR
}

/**
 * The texts that a vendor is found by: in lower case, because old SDKs say `OpenAI` and new ones `openai`, and also without
 * the interface of the model where it names one.
 */
export function vendorTexts(sent: readonly string[]): string[] {
  const texts: string[] = []
  for (const each of sent) {
    const text = each.toLowerCase()
    texts.push(text)
    const dot = text.lastIndexOf('.')
    if (dot > 0 && MODEL_INTERFACES.has(text.slice(dot + 1))) texts.push(text.slice(0, dot))
  }
  return texts
}

function suffixesLike(suffix: string): readonly string[] {
  const [, noun, rest] = INDEXED.exec(suffix) ?? []
  if (noun !== undefined && rest !== undefined) return [`${noun}${rest}`, `${noun}s${rest}`]
  return FAMILY_OF.get(suffix) ?? [suffix]
}
