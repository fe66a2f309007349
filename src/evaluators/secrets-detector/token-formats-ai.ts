import { ALNUM, HEX, prefixed, type TokenFormat, UUID, WORD } from './token-format.ts'

// All keys of OpenAI carry "OpenAI" in base64 in their middle.
const OPENAI_MARK = 'T3BlbkFJ'

/** Models, vector stores and tools around them. */
export const AI_FORMATS: readonly TokenFormat[] = [
  prefixed(
    'OpenAI',
    'sk-',
    `(?:proj-|svcacct-|admin-|None-|service-)?${WORD}{20,110}${OPENAI_MARK}${WORD}{20,110}`,
  ),
  prefixed('Anthropic', 'sk-ant-', `(?:api|admin|oat|ort|sid)\\d{2}-${WORD}{80,120}`),
  prefixed('OpenRouter', 'sk-or-v1-', `${HEX}{64}`),
  prefixed('Langfuse', 'sk-lf-', UUID),
  prefixed('Helicone', 'sk-helicone-', `[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}`),
  prefixed('LiteLLM or DeepSeek', 'sk-', `${HEX}{32}`),
  prefixed('LangSmith', 'lsv2_', `(?:pt|sk)_${HEX}{32}_${HEX}{10}`),
  prefixed('LangSmith', 'ls__', `${HEX}{32}`),
  prefixed('Groq', 'gsk_', `${ALNUM}{52}`),
  prefixed('xAI', 'xai-', `${ALNUM}{80}`),
  prefixed('Perplexity', 'pplx-', `${ALNUM}{48}`),
  prefixed('Replicate', 'r8_', `${ALNUM}{37}`),
  prefixed('NVIDIA', 'nvapi-', `${WORD}{64}`),
  prefixed('Cerebras', 'csk-', `[a-z0-9]{48}`),
  prefixed('Fireworks', 'fw_', `${ALNUM}{22,24}`, { mustLookRandom: true }),
  prefixed('Together', 'tgp_v1_', `${WORD}{43}`),
  prefixed('Voyage', 'pa-', `${WORD}{43}`, { mustLookRandom: true }),
  prefixed('Jina', 'jina_', `${HEX}{32}${WORD}{28}`),
  prefixed('ElevenLabs', 'sk_', `${HEX}{48}`),
  prefixed('Pinecone', 'pcsk_', `${ALNUM}{5,7}_${ALNUM}{63}`),
  prefixed('Tavily', 'tvly-', `(?:dev-|prod-)?${ALNUM}{32}`),
  prefixed('Firecrawl', 'fc-', `${HEX}{32}`),
  prefixed('Weights & Biases', 'wandb_v1_', `${WORD}{40,120}`),
  prefixed('Traceloop', 'tl_', `${HEX}{32,64}`),
  prefixed('Braintrust', 'bt-st-', `${ALNUM}{40,52}`),
  prefixed('Baseten', 'bstn_', `${ALNUM}{32,48}`),
  prefixed('Lambda', 'secret_', `[a-z0-9-]{3,40}_${HEX}{32}\\.${ALNUM}{32}`),
]
