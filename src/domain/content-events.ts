/**
 * Names of log events that carry the content of a span: the messages of a conversation, the details of an operation, and
 * evaluations by others. Logs of any other name are of no use here.
 */
export function isContentEvent(name: string): boolean {
  return name.startsWith('gen_ai.')
}
