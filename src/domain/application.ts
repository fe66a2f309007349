import type { Attributes, AttributeValue } from '../lib/otlp/span.ts'
import { boundedName } from './bounded-name.ts'

/** The attribute that names the workflow of a span. */
export const WORKFLOW_KEY = 'traceloop.workflow.name'
/** SDKs fill in a name that begins so when a program gives its service none. */
const UNKNOWN_SERVICE = 'unknown_service'

/** Applications of one project that are told apart; a unit of any further one has none. */
export const APPLICATIONS_MAX = 500
/** Versions of one application in one environment that are kept, the newest ones. */
export const DEPLOYMENTS_PER_APPLICATION_MAX = 100

/**
 * The application that a span belongs to: its service, or its workflow where the service has no name of its own. `attribute`
 * reads an attribute of the span, and is called only where the resource does not decide.
 */
export function applicationOf(
  resource: Attributes,
  attribute: (name: string) => AttributeValue | undefined,
): string | undefined {
  if (!services.has(resource)) services.set(resource, serviceApplication(resource.get('service.name')))
  return services.get(resource) ?? nameIn(attribute(WORKFLOW_KEY))
}

/** Worked out once for all spans of a resource: a name may be long. */
const services = new WeakMap<Attributes, string | undefined>()

/** The application that the name of a service stands for; undefined where no one chose that name. */
export function serviceApplication(service: AttributeValue | undefined): string | undefined {
  const name = nameIn(service)
  return name?.startsWith(UNKNOWN_SERVICE) ? undefined : name
}

/** The version that a resource says it runs. */
export function deployedVersion(resource: Attributes): string | undefined {
  return nameIn(resource.get('service.version'))
}

function nameIn(value: AttributeValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? boundedName(value.toWellFormed()) : undefined
}
