import { type Case, conversation, describeDialect } from '../../../tests/support/span-case.ts'

const json = JSON.stringify
const call = { name: 'get_weather', arguments: { city: 'Oslo' } }
const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
]
const withSystem = {
  ...conversation('Hi', 'Hello'),
  system_prompt: 'Be brief.',
  messages: [...chat, { role: 'assistant', content: 'Hello' }],
}
const rain = [{ name: 'get_weather', result: { sky: 'rain' } }]

const pydanticMessages = [
  { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
  { role: 'user', parts: [{ type: 'text', content: 'Weather in Oslo?' }] },
  {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' }],
  },
  {
    role: 'user',
    parts: [{ type: 'tool_call_response', id: 'call_1', name: 'get_weather', result: 'rain' }],
  },
  { role: 'assistant', parts: [{ type: 'text', content: 'Rain.' }] },
]
const pydanticFields = {
  prompt: 'Weather in Oslo?',
  completion: 'Rain.',
  system_prompt: 'Be brief.',
  prompts: ['Weather in Oslo?'],
  completions: ['Rain.'],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Oslo?' },
    { role: 'assistant', content: '', tool_calls: [{ ...call, id: 'call_1' }] },
    { role: 'tool', content: 'rain', name: 'get_weather', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'Rain.' },
  ],
  tool_calls: [{ ...call, id: 'call_1' }],
  tool_results: [{ name: 'get_weather', id: 'call_1', result: 'rain' }],
}

const pydanticAi: Case[] = [
  {
    name: 'the run of an agent with all its messages',
    dialect: 'pydantic-ai',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'pydantic_ai.all_messages': json(pydanticMessages),
      final_result: 'Rain.',
    },
    fields: pydanticFields,
  },
  {
    name: 'the answer of an agent that returns an object',
    dialect: 'pydantic-ai',
    attributes: {
      'pydantic_ai.all_messages': json(pydanticMessages.slice(0, 4)),
      final_result: '{"sky":"rain"}',
    },
    fields: {
      ...pydanticFields,
      completion: '{"sky":"rain"}',
      completions: ['{"sky":"rain"}'],
      messages: [...pydanticFields.messages.slice(0, 4), { role: 'assistant', content: '{"sky":"rain"}' }],
    },
  },
  {
    name: 'the events of a run by its first versions',
    dialect: 'pydantic-ai',
    attributes: {
      all_messages_events: json([
        { content: 'Be brief.', role: 'system', 'event.name': 'gen_ai.system.message' },
        { content: 'Hi', role: 'user', 'event.name': 'gen_ai.user.message' },
        { role: 'assistant', content: 'Hello', 'event.name': 'gen_ai.assistant.message' },
      ]),
    },
    fields: withSystem,
  },
  {
    name: 'a tool by its first versions',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.id': 'call_1',
      tool_arguments: '{"city":"Oslo"}',
      tool_response: '{"sky":"rain"}',
    },
    fields: {
      tool_calls: [{ ...call, id: 'call_1' }],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
]

const logfire: Case[] = [
  {
    name: 'the request and the response of a model',
    dialect: 'logfire',
    attributes: {
      request_data: json({ model: 'gpt-4o', messages: chat }),
      response_data: json({ message: { role: 'assistant', content: 'Hello' }, usage: { total_tokens: 3 } }),
      'gen_ai.request.model': 'gpt-4o',
    },
    fields: { ...withSystem, model: 'gpt-4o' },
  },
  {
    name: 'the events of a call, with the choice among them',
    dialect: 'logfire',
    attributes: {
      events: json([
        { 'event.name': 'gen_ai.system.message', content: 'Be brief.', role: 'system' },
        { 'event.name': 'gen_ai.user.message', content: 'Hi', role: 'user' },
        { 'event.name': 'gen_ai.choice', index: 0, message: { role: 'assistant', content: 'Hello' } },
      ]),
    },
    fields: withSystem,
  },
]

const langfuse: Case[] = [
  {
    name: 'a generation',
    dialect: 'langfuse',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': json(chat),
      'langfuse.observation.output': json({ role: 'assistant', content: 'Hello' }),
      'langfuse.observation.model.name': 'gpt-4o',
      'langfuse.session.id': 'c-1',
    },
    fields: { ...withSystem, model: 'gpt-4o', session_id: 'c-1' },
  },
  {
    name: 'a trace',
    dialect: 'langfuse',
    attributes: { 'langfuse.trace.input': '{"question":"Hi"}', 'langfuse.trace.output': '"Hello"' },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a tool',
    dialect: 'langfuse',
    span: { name: 'get_weather' },
    attributes: {
      'langfuse.observation.type': 'tool',
      'langfuse.observation.input': '{"city":"Oslo"}',
      'langfuse.observation.output': '{"sky":"rain"}',
    },
    fields: { tool_calls: [call], tool_results: rain },
  },
]

const mlflow: Case[] = [
  {
    name: 'the call of a model, with attributes in JSON',
    dialect: 'mlflow',
    attributes: {
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': json({ model: 'gpt-4o', messages: chat }),
      'mlflow.spanOutputs': json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }],
      }),
    },
    fields: withSystem,
  },
  {
    name: 'a tool',
    dialect: 'mlflow',
    span: { name: 'get_weather' },
    attributes: {
      'mlflow.spanType': '"TOOL"',
      'mlflow.spanInputs': '{"city":"Oslo"}',
      'mlflow.spanOutputs': '{"sky":"rain"}',
    },
    fields: { tool_calls: [call], tool_results: rain },
  },
  {
    name: 'a retriever',
    dialect: 'mlflow',
    attributes: {
      'mlflow.spanType': 'RETRIEVER',
      'mlflow.spanInputs': '{"query":"Hi"}',
      'mlflow.spanOutputs': '[{"page_content":"Oslo is old.","metadata":{}}]',
    },
    fields: {
      prompt: 'Hi',
      prompts: ['Hi'],
      messages: [{ role: 'user', content: 'Hi' }],
      context: ['Oslo is old.'],
    },
  },
  {
    name: 'an embedding, which is no answer',
    dialect: 'mlflow',
    attributes: {
      'mlflow.spanType': '"EMBEDDING"',
      'mlflow.spanInputs': '"Hi"',
      'mlflow.spanOutputs': '[0.5]',
    },
    fields: {},
  },
]

const googleAdk: Case[] = [
  {
    name: 'the call of a model',
    dialect: 'google-adk',
    attributes: {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gemini-3',
      'gcp.vertex.agent.llm_request': json({
        model: 'gemini-3',
        config: { system_instruction: 'Be brief.' },
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      }),
      'gcp.vertex.agent.llm_response': json({ content: { role: 'model', parts: [{ text: 'Hello' }] } }),
    },
    fields: { ...withSystem, model: 'gemini-3' },
  },
  {
    name: 'a tool, for which the empty object stands in the place of a model call',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gcp.vertex.agent.llm_request': '{}',
      'gcp.vertex.agent.llm_response': '{}',
      'gcp.vertex.agent.tool_call_args': '{"city":"Oslo"}',
      'gcp.vertex.agent.tool_response': '{"sky":"rain"}',
    },
    fields: { tool_calls: [call], tool_results: rain },
  },
]

const langsmith: Case[] = [
  {
    name: 'the inputs and outputs of a run',
    dialect: 'openllmetry',
    attributes: {
      'langsmith.span.kind': 'llm',
      'gen_ai.prompt': json({ messages: chat }),
      'gen_ai.completion': json({ choices: [{ message: { role: 'assistant', content: 'Hello' } }] }),
    },
    fields: withSystem,
  },
  {
    name: 'the messages of LangChain, in a list for each prompt',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.prompt': json({
        messages: [
          [{ lc: 1, type: 'constructor', id: ['langchain', 'HumanMessage'], kwargs: { content: 'Hi' } }],
        ],
      }),
      'gen_ai.completion': json({
        generations: [
          [
            {
              text: 'Hello',
              message: { lc: 1, id: ['langchain', 'AIMessage'], kwargs: { content: 'Hello' } },
            },
          ],
        ],
      }),
    },
    fields: conversation('Hi', 'Hello'),
  },
]

const braintrust: Case[] = [
  {
    name: 'a call of a model',
    dialect: 'braintrust',
    attributes: {
      'braintrust.input_json': json(chat),
      'braintrust.output_json': json([{ index: 0, message: { role: 'assistant', content: 'Hello' } }]),
      'braintrust.span_attributes': '{"type":"llm"}',
      'braintrust.metadata': '{"model":"gpt-4o"}',
    },
    fields: withSystem,
  },
  {
    name: 'a task with texts, and a tool',
    dialect: 'braintrust',
    attributes: { 'braintrust.input': 'Hi', 'braintrust.output': 'Hello' },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a tool',
    dialect: 'braintrust',
    span: { name: 'get_weather' },
    attributes: {
      'braintrust.input_json': '{"city":"Oslo"}',
      'braintrust.output_json': '{"sky":"rain"}',
      'braintrust.span_attributes': '{"type":"tool"}',
    },
    fields: { tool_calls: [call], tool_results: rain },
  },
]

const haystack: Case[] = [
  {
    name: 'a generator, with messages of any version',
    dialect: 'haystack',
    attributes: {
      'haystack.component.type': 'OpenAIChatGenerator',
      'haystack.component.input': json({
        messages: [
          { role: 'system', meta: {}, name: null, content: [{ text: 'Be brief.' }] },
          { _role: 'user', _content: [{ text: 'Hi' }], _name: null, _meta: {} },
        ],
      }),
      'haystack.component.output': json({
        replies: [{ role: 'assistant', meta: {}, name: null, content: [{ text: 'Hello' }] }],
      }),
    },
    fields: withSystem,
  },
  {
    name: 'a pipeline, with the data of its components',
    dialect: 'haystack',
    attributes: {
      'haystack.pipeline.input_data': '{"prompt_builder":{"question":"Hi"},"retriever":{"query":"Hi"}}',
      'haystack.pipeline.output_data': '{"llm":{"replies":["Hello"],"meta":[{"model":"gpt-4o"}]}}',
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a retriever',
    dialect: 'haystack',
    attributes: {
      'haystack.component.type': 'InMemoryBM25Retriever',
      'haystack.component.input': '{"query":"Hi","top_k":1}',
      'haystack.component.output': '{"documents":[{"id":"1","content":"Oslo is old.","score":1}]}',
    },
    fields: {
      prompt: 'Hi',
      prompts: ['Hi'],
      messages: [{ role: 'user', content: 'Hi' }],
      context: ['Oslo is old.'],
    },
  },
]

const refusals: Case[] = [
  {
    name: 'a refusal beside an empty content',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.refusal': 'I cannot help.',
    },
    fields: conversation('Hi', 'I cannot help.'),
  },
  {
    name: 'a refusal as a part',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
      'gen_ai.output.messages': json([
        { role: 'assistant', parts: [{ type: 'refusal', content: 'I cannot help.' }], finish_reason: 'stop' },
      ]),
    },
    fields: conversation('Hi', 'I cannot help.'),
  },
  {
    name: 'a refusal in the body of an answer',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'LLM',
      'input.value': json({ messages: [{ role: 'user', content: 'Hi' }] }),
      'output.value': json({
        choices: [{ message: { role: 'assistant', content: null, refusal: 'I cannot help.' } }],
      }),
    },
    fields: conversation('Hi', 'I cannot help.'),
  },
]

describeDialect('pydantic-ai', pydanticAi)
describeDialect('logfire', logfire)
describeDialect('langfuse', langfuse)
describeDialect('mlflow', mlflow)
describeDialect('google-adk', googleAdk)
describeDialect('langsmith', langsmith)
describeDialect('braintrust', braintrust)
describeDialect('haystack', haystack)
describeDialect('refusals', refusals)
