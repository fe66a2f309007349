// The parts that the JavaScript programs of the matrix have in common.

/** The conversation, and where to have it. */
export const { system, exchanges, withTool } = JSON.parse(process.env['CONVERSATION'])
export const modelUrl = process.env['MODEL_URL']
export const otlpUrl = process.env['OTLP_URL']
export const apiKey = process.env['API_KEY']
