import type { IncidentWatchStorage } from '../../ports/incident-storage.ts'
import type { JobQueue } from '../../ports/job-storage.ts'
import type { JudgeLedger } from '../../ports/judge-storage.ts'
import type { RollupStorage } from '../../ports/rollup-storage.ts'
import type { Hint, SystemStorage, TenantStorage } from '../../ports/storage.ts'
import type { DigestStorage } from '../../ports/trace-storage.ts'
import type { UnitStorage } from '../../ports/unit-storage.ts'
import type { VerdictStorage } from '../../ports/verdict-storage.ts'
import type { WorkStorage } from '../../ports/work-storage.ts'
import * as annotations from './annotation-operations.ts'
import * as applications from './application-operations.ts'
import { readBacklog } from './backlog-operations.ts'
import * as contents from './content-operations.ts'
import * as customEvaluators from './custom-evaluator-operations.ts'
import * as deletedData from './deleted-data-operations.ts'
import * as executions from './execution-operations.ts'
import * as explanations from './explain-operations.ts'
import { foldRollups } from './fold-operations.ts'
import * as images from './image-operations.ts'
import * as incidents from './incident-operations.ts'
import * as incidentWatch from './incident-watch-operations.ts'
import * as jobs from './job-operations.ts'
import * as judges from './judge-operations.ts'
import * as limits from './limit-operations.ts'
import * as monitorResults from './monitor-result-operations.ts'
import * as overviews from './overview-operations.ts'
import { restoreSetup } from './restore-setup.ts'
import * as reviews from './review-operations.ts'
import * as savedViews from './saved-view-operations.ts'
import * as series from './series-operations.ts'
import * as setups from './setup-operations.ts'
import type { Sql } from './sql.ts'
import * as tenants from './tenant-operations.ts'
import * as traceEvaluations from './trace-evaluation-operations.ts'
import * as traces from './trace-operations.ts'
import * as usage from './usage-operations.ts'
import * as verdicts from './verdict-operations.ts'

/**
 * How a method is run. `look`: one statement, besides that which looks the project up, on any connection. `read`: several
 * statements on one state of the store. `write`: in a transaction of its own.
 */
export type MethodKind = 'look' | 'read' | 'write'

/** A method that each store has an operation of its own for. */
export interface OwnMethod {
  readonly kind: MethodKind
  /** Told to other processes when it is done. */
  readonly hint?: Hint
}

/** A method whose statements are those of both stores. */
export interface SharedMethod<Operation> extends OwnMethod {
  readonly operation: Operation
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of an operation are checked where it stands in the table.
type AnyOperation = (sql: Sql, ...args: any[]) => Promise<unknown>

const own = (kind: MethodKind, hint?: Hint): OwnMethod => ({ kind, ...(hint ? { hint } : {}) })
const look = <Operation>(operation: Operation) => ({ kind: 'look', operation }) as const
const read = <Operation>(operation: Operation) => ({ kind: 'read', operation }) as const
const write = <Operation>(operation: Operation, hint?: Hint) =>
  ({ kind: 'write', operation, ...(hint ? { hint } : {}) }) as const

type OperationOf<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (sql: Sql, ...args: Args) => Promise<Result>
  : never

/** Methods of a port; those that are not here are made by each store by hand. */
type Table<Port> = { readonly [Name in keyof Port]?: OwnMethod | SharedMethod<OperationOf<Port[Name]>> }

/** The ports of a store that methods are listed of. */
interface Ports {
  readonly tenant: TenantStorage
  readonly units: UnitStorage
  readonly digest: DigestStorage
  readonly work: WorkStorage
  readonly jobs: JobQueue
  readonly ledger: JudgeLedger
  readonly verdicts: VerdictStorage
  readonly incidents: IncidentWatchStorage
  readonly rollups: RollupStorage
  readonly system: SystemStorage
}

/** Every method that is run in a plain way, by the port that it belongs to. Both stores are made of this. */
export const METHODS = {
  tenant: {
    createSetup: write(setups.createSetup, 'setups'),
    updateSetup: own('write', 'setups'),
    deleteSetup: own('write', 'setups'),
    restoreSetup: write(restoreSetup, 'setups'),
    upsertSetups: own('write', 'setups'),
    getSetup: read(setups.getSetup),
    listSetups: read(setups.listSetups),
    createCustomEvaluator: write(customEvaluators.createCustomEvaluator),
    changeCustomEvaluator: write(customEvaluators.changeCustomEvaluator),
    listCustomEvaluators: look(customEvaluators.listCustomEvaluators),
    findCustomEvaluator: read(customEvaluators.findCustomEvaluator),
    listCustomVersions: look(customEvaluators.listCustomVersions),
    createExecution: write(executions.createExecution),
    getExecution: look(executions.getExecution),
    finishExecution: write(executions.finishExecution),
    createSavedView: write(savedViews.createSavedView),
    listSavedViews: look(savedViews.listSavedViews),
    replaceSavedView: write(savedViews.replaceSavedView),
    deleteSavedView: write(savedViews.deleteSavedView),
    createProject: write(tenants.createProject),
    listProjects: read(tenants.listProjects),
    createEnvironment: write(tenants.createEnvironment),
    nameCaller: look(tenants.nameCaller),
    createApiKey: write(tenants.createApiKey),
    listApiKeys: look(tenants.listApiKeys),
    revokeApiKey: write(tenants.revokeApiKey),
    readCatalogue: own('read'),
    listSpanRefs: own('read'),
    readBatches: own('read'),
    getEvaluation: own('read'),
    createJob: write(jobs.createJob, 'jobs'),
    getJob: read(jobs.getJob),
    listJobs: read(jobs.listJobs),
    cancelJob: write(jobs.cancelJob),
    listMonitors: read(monitorResults.listMonitors),
    getMonitor: read(monitorResults.getMonitor),
    readSeries: read(series.readSeries),
    readDistribution: read(series.readDistribution),
    readProgress: own('read'),
    readVolume: read(overviews.readVolume),
    readTrends: read(overviews.readTrends),
    listProviderKeys: look(judges.listProviderKeys),
    putProviderKey: write(judges.putProviderKey),
    deleteProviderKey: write(judges.deleteProviderKey),
    getDefaultJudge: look(judges.getDefaultJudge),
    putDefaultJudge: write(judges.putDefaultJudge),
    deleteDefaultJudge: write(judges.deleteDefaultJudge),
    listBudgets: look(judges.listBudgets),
    putBudget: write(judges.putBudget),
    deleteBudget: write(judges.deleteBudget),
    readSpend: look(judges.readSpend),
    listSpend: look(judges.listSpend),
    listTraces: own('read'),
    getTrace: look(traces.getTrace),
    listTracePlaces: look(traces.listTracePlaces),
    listSessions: read(traces.listSessions),
    listTraceEvaluations: read(traceEvaluations.listTraceEvaluations),
    listSessionEvaluations: read(traceEvaluations.listSessionEvaluations),
    readUsage: read(usage.readUsage),
    readSessionUsage: look(usage.readSessionUsage),
    listApplications: look(applications.listApplications),
    readApplicationCounts: look(applications.readApplicationCounts),
    listDeployments: look(applications.listDeployments),
    addAnnotations: write(annotations.addAnnotations),
    deleteAnnotation: write(annotations.deleteAnnotation),
    listAnnotations: read(annotations.listAnnotations),
    listAnnotationsOf: read(annotations.listAnnotationsOf),
    listVerdictPairs: read(annotations.listVerdictPairs),
    createReviewQueue: write(reviews.createReviewQueue),
    listReviewQueues: look(reviews.listReviewQueues),
    getReviewQueue: look(reviews.getReviewQueue),
    deleteReviewQueue: write(reviews.deleteReviewQueue),
    listReviewItems: read(reviews.listReviewItems),
    readReviewedItems: read(reviews.readReviewedItems),
    putReviewAnswer: write(reviews.putReviewAnswer),
    deleteReviewAnswer: write(reviews.deleteReviewAnswer),
    addContents: write(contents.addContents),
    readContents: read(contents.readContents),
    addImage: write(images.addImage),
    listImages: read(images.listImages),
    readImage: read(images.readImage),
    listIncidents: read(incidents.listIncidents),
    getIncident: read(incidents.getIncident),
    decideIncident: write(incidents.decideIncident),
    openIncident: write(incidents.openIncident),
    updateIncident: write(incidents.updateIncident),
    listWatchedMonitors: look(incidentWatch.listWatchedMonitors),
    readDecisions: read(explanations.readDecisions),
    listUndigestedBatches: look(explanations.listUndigestedBatches),
    listPassedOver: look(explanations.listPassedOver),
    listBatches: look(explanations.listBatches),
    deleteTrace: own('write'),
    deleteSession: own('write'),
    deleteProjectData: own('write'),
    countProjectData: read(deletedData.countProjectData),
    getDeletion: look(deletedData.getDeletion),
    readLimits: look(limits.readLimits),
    readResourceUse: look(limits.readResourceUse),
  },
  units: { readUnit: own('read'), recordUnit: own('write'), skipUnit: own('write') },
  digest: { isDigested: own('read'), readOverdue: own('look'), retryGivenUp: own('write') },
  work: {
    sampleMatches: own('read'),
    fillWork: own('write'),
    readMonitorVersions: own('look'),
    readWorkBatches: own('look'),
    readWorkContents: look(contents.readContentsOf),
    readMonitorOwners: own('look'),
    recordWork: own('write'),
  },
  jobs: { readBackfillBatches: own('read'), recordBackfill: own('write') },
  ledger: { recordCalls: write(judges.recordCalls), dropCachedAnswers: write(judges.dropCachedAnswers) },
  verdicts: {
    listRuledMonitors: look(verdicts.listRuledMonitors),
    assignRules: write(verdicts.assignRules),
    deriveVerdicts: own('write'),
  },
  incidents: {
    listWatchedProjects: look(incidentWatch.listWatchedProjects),
    claimLook: write(incidentWatch.claimLook),
  },
  rollups: { foldRollups: write(foldRollups) },
  system: {
    findPrincipal: look(tenants.findPrincipal),
    isEmpty: look(tenants.isEmpty),
    createOrganization: write(tenants.createOrganization),
    listOrganizations: look(tenants.listOrganizations),
    readBacklog: read(readBacklog),
    putLimits: write(limits.putLimits),
    listResourceUse: look(limits.listResourceUse),
  },
} as const satisfies { readonly [Port in keyof Ports]: Table<Ports[Port]> }

type Methods = typeof METHODS

/** The ports as far as their methods are in the table. */
export type Facade = {
  readonly [Port in keyof Ports]: Pick<Ports[Port], keyof Methods[Port] & keyof Ports[Port]>
}

type OwnNames<Port extends keyof Ports> = {
  [Name in keyof Methods[Port]]: Methods[Port][Name] extends { readonly operation: unknown } ? never : Name
}[keyof Methods[Port]]

type OwnOperation<Method, Connection> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (connection: Connection, ...args: Args) => Result | Promise<Result>
  : never

type OwnOf<Port extends keyof Ports, Connection> = {
  readonly [Name in OwnNames<Port> & keyof Ports[Port]]: OwnOperation<Ports[Port][Name], Connection>
}

/** The operations that a store brings along: one for every method that is its own. */
export type OwnOperations<Connection> = OwnOf<'tenant', Connection> &
  OwnOf<'units', Connection> &
  OwnOf<'digest', Connection> &
  OwnOf<'work', Connection> &
  OwnOf<'jobs', Connection> &
  OwnOf<'ledger', Connection> &
  OwnOf<'verdicts', Connection> &
  OwnOf<'incidents', Connection> &
  OwnOf<'system', Connection>

/** A method as its runner sees it. */
export type AnyMethod = OwnMethod & { readonly operation?: AnyOperation }

/** Makes the methods of all ports, each by its name and its entry in the table. */
export function facadeOf(bind: (name: string, method: AnyMethod) => unknown): Facade {
  const ports = Object.entries(METHODS).map(([port, methods]) => {
    const entries: [string, AnyMethod][] = Object.entries(methods)
    return [port, Object.fromEntries(entries.map(([name, method]) => [name, bind(name, method)]))] as const
  })
  return Object.fromEntries(ports) as unknown as Facade
}
