/** A rule on an attribute of a span: that it is there, or which value it has. */
export const rule = (key: string, value?: string) => ({
  key,
  source: 'span_attributes',
  ...(value === undefined ? { operator: 'exists' } : { operator: 'equals', value }),
})

/** The calls of a model in OpenTelemetry's words. */
export const CHATS = [rule('gen_ai.request.model')]
