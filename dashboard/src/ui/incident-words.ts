import type { components } from '../api/schema.gen.ts'
import { formatCount, formatNumber, formatPercent } from './format.ts'

type Incident = components['schemas']['Incident']
type Monitor = components['schemas']['IncidentMonitor']

/** The title of an incident, for example "shop: faithfulness fell by 20 points". */
export function incidentTitle({ application, monitors }: Incident): string {
  const [first, ...others] = monitors
  const subject = `${application ?? 'No application'}: ${first?.evaluator_type ?? 'a monitor'}`
  const more = others.length > 0 ? ` and ${formatCount(others.length, 'more monitor')}` : ''
  const fall = first ? pointsOf(first) : undefined
  return `${subject}${more} fell${fall === undefined ? '' : ` by ${formatCount(fall, 'point')}`}`
}

function pointsOf({ before, after }: Monitor): number | undefined {
  if (before.pass_rate === null || after.pass_rate === null) return undefined
  return Math.round((before.pass_rate - after.pass_rate) * 100)
}

/** The rates of a monitor in words: "95% → 60% of 40 results". */
export function rateWords({ before, after }: Monitor): string {
  if (before.pass_rate === null || after.pass_rate === null) return ''
  const count = formatNumber(after.pass + after.fail)
  return `from ${formatPercent(before.pass_rate)} to ${formatPercent(after.pass_rate)} of ${count} results`
}

const PROPERTIES: Readonly<Record<Incident['changes']['values'][number]['property'], string>> = {
  model: 'Model',
  service_version: 'Version',
  prompt_name: 'Prompt',
  prompt_version: 'Prompt version',
  system_prompt: 'System prompt (hash)',
}

/** The name of a property that changed. */
export const propertyName = (property: keyof typeof PROPERTIES) => PROPERTIES[property]
