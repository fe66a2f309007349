import { type Case, describeDialect } from '../../../tests/support/span-case.ts'

const others: Case[] = [
  {
    name: 'documents of a vector database, one event each',
    dialect: 'vector-db',
    attributes: { 'db.system': 'chroma', 'db.vector.query.top_k': 3 },
    events: [
      ['db.query.embeddings', { 'db.query.embeddings.vector': '[0.1]' }],
      ['db.query.result', { 'db.query.result.id': '1', 'db.query.result.document': 'Oslo is the capital.' }],
      [
        'db.query.result',
        { 'db.query.result.id': '2', 'db.query.result.metadata': '{"text":"from metadata"}' },
      ],
      ['db.query.result', { 'db.query.result.id': '3', 'db.query.result.metadata': 'page 4' }],
    ],
    fields: { context: ['Oslo is the capital.', 'from metadata'] },
  },
  {
    name: 'a tool called over MCP',
    dialect: 'mcp',
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.request.argument':
        '{"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo"}}}',
      'mcp.response.value': '{"content":[{"type":"text","text":"{\\"sky\\":\\"rain\\"}"}],"isError":false}',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'a tool that failed over MCP, whole',
    dialect: 'mcp',
    span: { name: 'tools/call get_weather' },
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.response.value': '{"content":[{"type":"text","text":"no such city"}],"isError":true}',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: {} }],
      tool_results: [
        {
          name: 'get_weather',
          result: { content: [{ type: 'text', text: 'no such city' }], isError: true },
        },
      ],
    },
  },
  {
    name: 'other requests over MCP, which are no tool calls',
    dialect: 'mcp',
    attributes: { 'mcp.method.name': 'tools/list', 'mcp.response.value': '{"tools":[]}' },
    fields: {},
  },
  {
    name: 'a span of something else',
    dialect: undefined,
    attributes: { 'http.request.method': 'GET', 'url.path': '/' },
    fields: {},
  },
]

describeDialect('other-dialects', others)
