/** The forms of answers that have evaluators of their own. */
export const ANSWER_FORMS = ['sql', 'json', 'label', 'text'] as const
export type AnswerForm = (typeof ANSWER_FORMS)[number]

/** Share of answers that must have a form before it is called the form of the application. */
const SHARE_MIN = 0.6
/** Fewer answers say nothing about labels: two short answers may be equal by chance. */
const LABELS_ANSWERS_MIN = 5
const LABEL_CHARS_MAX = 40
const LABEL_WORDS_MAX = 4
/** Answers for each different label, at least. */
const ANSWERS_PER_LABEL = 2
/** Longest answer that is parsed; longer ones are told by their ends. */
const PARSED_CHARS_MAX = 100_000

const FENCED = /^```(\w*)\s*\n([\s\S]*?)\n?```$/
const SQL =
  /^(?:with\s+[\w"]+\s+as\s*\(|select\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|create\s+(?:table|view|index)\s)/i

/** The form that most answers of an application have. */
export function answerForm(answers: readonly string[]): AnswerForm {
  if (answers.length === 0) return 'text'
  const isMostly = (has: (answer: string) => boolean) =>
    answers.filter(has).length >= SHARE_MIN * answers.length
  if (isMostly(isSql)) return 'sql'
  if (isMostly(isJson)) return 'json'
  return areLabels(answers) ? 'label' : 'text'
}

/** The text without the code fence that models like to put around it. */
function bareText(answer: string): { readonly text: string; readonly language: string } {
  const trimmed = answer.trim()
  const fenced = FENCED.exec(trimmed)
  return { text: (fenced?.[2] ?? trimmed).trim(), language: fenced?.[1]?.toLowerCase() ?? '' }
}

function isSql(answer: string): boolean {
  const { text, language } = bareText(answer)
  return language === 'sql' || SQL.test(text)
}

function isJson(answer: string): boolean {
  const { text } = bareText(answer)
  const isBracketed = /^\{[\s\S]*\}$/.test(text) || /^\[[\s\S]*\]$/.test(text)
  if (!isBracketed || text.length > PARSED_CHARS_MAX) return isBracketed
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A few short texts that come again and again. */
function areLabels(answers: readonly string[]): boolean {
  if (answers.length < LABELS_ANSWERS_MIN) return false
  const labels = answers.map((answer) => answer.trim().toLowerCase())
  const areShort = labels.every(
    (label) =>
      label !== '' && label.length <= LABEL_CHARS_MAX && label.split(/\s+/).length <= LABEL_WORDS_MAX,
  )
  return areShort && new Set(labels).size * ANSWERS_PER_LABEL <= labels.length
}
