import type { OrgTenant } from '../domain/tenant.ts'
import type { DefaultJudge, ProviderOverview } from '../ports/judge.ts'

/** The service's facts about itself: its configuration, and the providers it asks. */
export interface AboutService extends ProviderOverview {
  readonly version: string
  /** Nothing is kept for longer, whatever an organization was made with. */
  readonly retentionHoursMax: number
  readonly embeddedJudge: 'on' | 'off' | 'always'
  readonly privacyGate: 'off' | 'on' | 'fail_closed'
  /** Where this process takes OTLP over gRPC; undefined when it does not. */
  grpcPort(): number | undefined
  /** The judge of an organization: `provider/model`, `embedded`, or undefined where there is none. */
  judgeOf(tenant: OrgTenant): Promise<string | undefined>
  /** The model that judges for an organization, and where that choice comes from; undefined: no provider is asked. */
  defaultJudgeOf(tenant: OrgTenant): Promise<DefaultJudge | undefined>
}
