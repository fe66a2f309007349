import './conversation.css'
import { FoldedText } from './folded-text.tsx'
import { formatNumber } from './format.ts'
import type { RetrievedDocument } from './retrieved-documents.ts'
import {
  type ChatMessage,
  documentsOf,
  messagesOf,
  plainTextsOf,
  prettyJson,
  type StoredSpan,
  type ToolCall,
  type ToolRun,
  toolRunOf,
} from './span-content.ts'

const ROLES: Readonly<Record<string, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
}

/** Characters of instructions that are shown before they are unfolded: they are long and the same everywhere. */
const SYSTEM_FOLD = 300

/** A conversation as a chat: who said what, which tools were called with what, and what they gave back. */
export function Conversation({
  messages,
  label = 'Conversation',
}: {
  messages: readonly ChatMessage[]
  label?: string
}) {
  return (
    <ol className="chat" aria-label={label}>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message has no name but its place, and keeps it.
        <Message key={at} {...message} />
      ))}
    </ol>
  )
}

function Message({ role, content, toolCalls, tool }: ChatMessage) {
  const kind = role in ROLES ? role : 'other'
  const isTool = role === 'tool'
  return (
    <li className={`chat-message chat-${kind}`}>
      <span className="chat-role">
        {ROLES[role] ?? role}
        {tool === undefined ? null : <code>{tool}</code>}
      </span>
      {content === '' ? null : (
        <FoldedText
          text={isTool ? prettyJson(content) : content}
          isCode={isTool}
          {...(role === 'system' ? { foldAt: SYSTEM_FOLD } : {})}
        />
      )}
      {toolCalls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as for messages.
        <ToolCallBox key={at} {...call} />
      ))}
      {content === '' && toolCalls.length === 0 ? <span className="quiet">No text.</span> : null}
    </li>
  )
}

function ToolCallBox({ name, arguments: given }: ToolCall) {
  return (
    <div className="tool-call">
      <span className="chat-role">
        Calls <code>{name}</code>
      </span>
      {given === '' ? null : <FoldedText text={prettyJson(given)} isCode />}
    </div>
  )
}

/** The run of a tool: what it was asked and what it answered. */
export function ToolRunView({ run: { name, arguments: given, result } }: { run: ToolRun }) {
  return (
    <div className="chat">
      <div className="chat-message chat-tool">
        <span className="chat-role">
          Tool <code>{name}</code>
        </span>
        {given === undefined ? null : <FoldedText text={prettyJson(given)} isCode />}
      </div>
      {result === undefined ? null : (
        <div className="chat-message chat-tool">
          <span className="chat-role">Result</span>
          <FoldedText text={prettyJson(result)} isCode />
        </div>
      )}
    </div>
  )
}

/** The results of a search, in their order, with titles and scores where they are known. */
export function Documents({ documents }: { documents: readonly RetrievedDocument[] }) {
  return (
    <ol className="documents" aria-label="Retrieved documents">
      {documents.map(({ text, title, score }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as for messages.
        <li key={at} className="document">
          <div className="spread">
            <strong className="document-title">{title ?? `Document ${at + 1}`}</strong>
            {score === undefined ? null : (
              <span className="quiet small number">{`score ${formatNumber(score)}`}</span>
            )}
          </div>
          {text === '' ? <span className="quiet">No text.</span> : <FoldedText text={text} foldAt={500} />}
        </li>
      ))}
    </ol>
  )
}

/** The content of a span in the form that suits it: a chat, documents, the run of a tool, or its input and output. */
export function SpanContent({ span }: { span: StoredSpan }) {
  const messages = messagesOf(span)
  const documents = documentsOf(span)
  const run = toolRunOf(span)
  const isBare = messages.length === 0 && documents.length === 0 && !run
  return (
    <div className="stack">
      {messages.length > 0 ? <Conversation messages={messages} /> : null}
      {documents.length > 0 ? <Documents documents={documents} /> : null}
      {run ? <ToolRunView run={run} /> : null}
      {isBare ? <InputAndOutput span={span} /> : null}
    </div>
  )
}

function InputAndOutput({ span }: { span: StoredSpan }) {
  const { input, output } = plainTextsOf(span)
  if (input === undefined && output === undefined) return <p className="quiet">This span has no text.</p>
  return (
    <div className="chat">
      {input === undefined ? null : (
        <div className="chat-message chat-user">
          <span className="chat-role">Input</span>
          <FoldedText text={prettyJson(input)} isCode />
        </div>
      )}
      {output === undefined ? null : (
        <div className="chat-message chat-assistant">
          <span className="chat-role">Output</span>
          <FoldedText text={prettyJson(output)} isCode />
        </div>
      )}
    </div>
  )
}
