/** The filters of the inbox that other pages lead to. */
interface InboxChoice {
  readonly application?: string | undefined
  readonly evaluator?: string | undefined
  readonly monitor?: string | undefined
  readonly from?: string | undefined
}

/** The address of the inbox with failures of this choice. */
export function inboxAddress(choice: InboxChoice): string {
  const query = new URLSearchParams({ verdict: 'fail' })
  for (const [name, value] of Object.entries(choice)) if (value !== undefined) query.set(name, value)
  return `/inbox?${query}`
}
