import type { OrgTenant } from '../domain/tenant.ts'
import type { ProviderOverview } from '../ports/judge.ts'

/** What the service can say of itself: how it was configured, and whom it asks. */
export interface AboutService extends ProviderOverview {
  readonly version: string
  /** Nothing is kept for longer, whatever an organization was made with. */
  readonly retentionHoursMax: number
  readonly embeddedJudge: 'on' | 'off' | 'always'
  readonly privacyGate: 'off' | 'on' | 'fail_closed'
  /** Where this process takes OTLP over gRPC; undefined when it does not. */
  grpcPort(): number | undefined
  /** Who judges for an organization: `provider/model`, `embedded`, or nobody. */
  judgeOf(tenant: OrgTenant): Promise<string | undefined>
}
