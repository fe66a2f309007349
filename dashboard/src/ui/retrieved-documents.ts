import { isRecord, isText, parseJson } from './json-text.ts'

/** A document that a search found. */
export interface RetrievedDocument {
  readonly text: string
  readonly title?: string
  readonly score?: number
}

/** Documents in numbered attributes, as OpenInference writes them. */
export function numberedDocuments(
  attributes: Readonly<Record<string, string>>,
  list: string,
): RetrievedDocument[] {
  const documents: RetrievedDocument[] = []
  for (let at = 0; ; at++) {
    const part = (name: string) => attributes[`${list}.${at}.document.${name}`]
    const text = part('content')
    const id = part('id')
    if (text === undefined && id === undefined) return documents
    const metadata = parseJson(part('metadata'))
    documents.push(documentOf({ content: text ?? '', score: part('score'), title: titleIn(metadata) ?? id }))
  }
}

const LIST_NAMES = [
  'documents',
  'docs',
  'source_documents',
  'contexts',
  'context',
  'nodes',
  'matches',
  'results',
  'outputs',
]

/** Documents in a JSON text: a list of texts or objects, or an object that has one. */
export function documentsIn(text: string | undefined): RetrievedDocument[] {
  const value = parseJson(text)
  const list = Array.isArray(value)
    ? value
    : isRecord(value)
      ? LIST_NAMES.map((name) => value[name]).find(Array.isArray)
      : undefined
  return (list ?? []).flatMap((item: unknown) => {
    if (typeof item === 'string') return [{ text: item }]
    if (!isRecord(item)) return []
    const inner = isRecord(item['document']) ? item['document'] : isRecord(item['node']) ? item['node'] : item
    const content = [
      inner['content'],
      inner['page_content'],
      inner['pageContent'],
      inner['text'],
      inner['body'],
    ].find(isText)
    const title = titleIn(inner) ?? titleIn(inner['metadata']) ?? [inner['id'], item['id']].find(isText)
    return content === undefined
      ? []
      : [documentOf({ content, score: item['score'] ?? inner['score'], title })]
  })
}

function documentOf({
  content,
  score,
  title,
}: {
  content: string
  score: unknown
  title: string | undefined
}): RetrievedDocument {
  const number = score === undefined || score === null || score === '' ? Number.NaN : Number(score)
  return {
    text: content,
    ...(title === undefined ? {} : { title }),
    ...(Number.isNaN(number) ? {} : { score: number }),
  }
}

function titleIn(value: unknown): string | undefined {
  return isRecord(value)
    ? ['title', 'source', 'file_name', 'url', 'name'].map((name) => value[name]).find(isText)
    : undefined
}
