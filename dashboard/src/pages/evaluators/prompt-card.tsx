import { Button } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { type DraftMessage, type JudgeDraft, newField, newMessage, ROLES } from './judge-draft.ts'
import { type JudgeFault, messageAt } from './judge-faults.ts'
import { changed, moved, without } from './list-edits.ts'
import { checkPlaceholders } from './placeholders.ts'
import { PromptText } from './prompt-text.tsx'
import { RowButtons } from './row-buttons.tsx'

const ROLE_WORDS: Readonly<Record<string, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant (example answer)',
}
const ROLE_OPTIONS = ROLES.map((value) => ({ value, label: ROLE_WORDS[value] ?? value }))

interface PromptCardProps {
  readonly draft: JudgeDraft
  readonly onChange: (draft: JudgeDraft) => void
  readonly fault: JudgeFault | undefined
}

/** The prompt of the model, message by message. */
export function PromptCard({ draft, onChange, fault }: PromptCardProps) {
  const { messages, inputs } = draft
  const names = inputs.map(({ name }) => name.trim()).filter((name) => name !== '')
  const change = (next: DraftMessage[]) => onChange({ ...draft, messages: next })
  return (
    <Card title="Prompt">
      <p className="quiet judge-meaning">
        <code>{'{{name}}'}</code> stands for the input of that name. The value is passed as data, and the
        model is told not to follow instructions in it.
      </p>
      <ol className="judge-rows">
        {messages.map((message, at) => (
          <li key={message.id} className="judge-row">
            <fieldset className="judge-message">
              <legend className="visually-hidden">{`Message ${at + 1}`}</legend>
              <Field label="Role">
                {(ids) => (
                  <Select
                    {...ids}
                    options={ROLE_OPTIONS}
                    value={message.role}
                    onChange={({ target }) =>
                      change(changed(messages, { ...message, role: target.value as DraftMessage['role'] }))
                    }
                  />
                )}
              </Field>
              <Field label="Text" error={messageAt(fault, `messages[${at}]`)}>
                {(ids) => (
                  <PromptText
                    {...ids}
                    inputs={names}
                    value={message.content}
                    onChange={(content) => change(changed(messages, { ...message, content }))}
                  />
                )}
              </Field>
            </fieldset>
            <RowButtons
              what={`message ${at + 1}`}
              isFirst={at === 0}
              isLast={at === messages.length - 1}
              mayRemove={messages.length > 1}
              onMove={(step) => change(moved(messages, message.id, step))}
              onRemove={() => change(without(messages, message.id))}
            />
          </li>
        ))}
      </ol>
      <Button onClick={() => change([...messages, newMessage()])}>Add a message</Button>
      <PlaceholderNotes draft={draft} onChange={onChange} />
    </Card>
  )
}

/** Says which placeholders are no inputs, and which inputs no message names. */
function PlaceholderNotes({ draft, onChange }: Pick<PromptCardProps, 'draft' | 'onChange'>) {
  const { unknown, unused } = checkPlaceholders(draft)
  const addInput = (name: string) => {
    const blank = draft.inputs.find((input) => input.name.trim() === '')
    const inputs = blank ? changed(draft.inputs, { ...blank, name }) : [...draft.inputs, newField({ name })]
    onChange({ ...draft, inputs })
  }
  return (
    <div className="judge-notes" role="status">
      {unknown.map((name) => (
        <div key={name} className="row judge-unknown">
          <span>
            <code>{`{{${name}}}`}</code> is not an input.
          </span>
          {name === '' ? null : <Button onClick={() => addInput(name)}>{`Add the input ${name}`}</Button>}
        </div>
      ))}
      {unused.map((name) => (
        <p key={name} className="quiet">
          <code>{name}</code> is in no message; it is added at the end of the last user message.
        </p>
      ))}
    </div>
  )
}
