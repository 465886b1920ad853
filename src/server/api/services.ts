import type { z } from 'zod'
import type { Config } from '../config/config.ts'
import type { Accounts } from '../domain/accounts/accounts.ts'
import type { ApiKeys } from '../domain/accounts/api-keys.ts'
import type { AuditTrail } from '../domain/accounts/audit-trail.ts'
import type { EmailLinks } from '../domain/accounts/email-links.ts'
import type { KnownBrowsers } from '../domain/accounts/known-browsers.ts'
import type { Notices } from '../domain/accounts/notices.ts'
import type { PasskeySignIn } from '../domain/accounts/passkey-sign-in.ts'
import type { Passkeys } from '../domain/accounts/passkeys.ts'
import type { ResolveIdentity } from '../domain/accounts/resolve-identity.ts'
import type { ServerKeys } from '../domain/accounts/server-keys.ts'
import type { Sessions } from '../domain/accounts/sessions.ts'
import type { SignIn } from '../domain/accounts/sign-in.ts'
import type { UserAdministration } from '../domain/accounts/user-administration.ts'
import type { UserTokens } from '../domain/accounts/user-tokens.ts'
import type { PushApps } from '../domain/push/delivery/push-apps.ts'
import type { PushService } from '../domain/push/service.ts'
import type { Shares } from '../domain/shares/shares.ts'
import type { Visits } from '../domain/shares/visits.ts'
import type { BackendFiles } from '../domain/uploads/backend-files.ts'
import type { UploadService } from '../domain/uploads/service.ts'
import type { Webhooks } from '../domain/webhooks/webhooks.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FairPlaces, FairSemaphore } from '../kernel/fair-semaphore.ts'
import type { Findings } from '../kernel/finding.ts'
import type { Logger } from '../kernel/log.ts'
import type { Trace } from '../kernel/trace.ts'
import type { AdminAccess } from './access/admin-access.ts'
import type { Authenticate } from './access/authenticate.ts'
import type { CallLimit } from './access/call-limit.ts'
import type { RequestKind } from './access/call-queue.ts'
import type { LoopShare } from './access/loop-share.ts'
import type { PushAccess } from './access/push-access.ts'
import type { SecretGate } from './access/secret-gate.ts'
import type { healthOutput } from './http/admin/health-output.ts'

/** Kind of recipients of a send. */
export type MessageTarget = 'user' | 'users' | 'topic' | 'all' | 'dry_run'

type Health = z.output<typeof healthOutput>

/** Services that the API calls. `wiring/build-services.ts` creates them. */
export type Services = {
  config: Config
  clock: Clock
  log: Logger & { child(bindings: object): Logger }
  /** Undefined if tracing is off. */
  trace: Pick<Trace, 'step'> | undefined
  metrics: {
    onProcedure(procedure: string, code: string, seconds: number): void
    onMessage(target: MessageTarget): void
    contentType: string
    /** Returns Prometheus' text format. */
    text(): Promise<string>
  }
  metricsGate: SecretGate
  /** Returns true if this error means that the database cannot be reached. */
  isDatabaseUnavailable(error: unknown): boolean
  health: { ready(): Promise<Pick<Health, 'status' | 'checks' | 'degraded'>> }
  deploymentState(): Promise<Health>
  doctor: {
    quick(): Promise<Findings>
    latest(waitMs: number): Promise<{ body: Findings; at: number } | undefined>
    full(): Promise<Findings>
  }

  authenticate: Authenticate
  adminAccess: AdminAccess
  pushApps: Pick<PushApps, 'names'>
  pushAccess: PushAccess
  countCall: CallLimit
  /** Every request takes a place of its address until its caller is known. */
  addressPlaces: Record<RequestKind, FairPlaces>
  /** Limits the time that an address without a known caller takes from others. */
  loopShare: LoopShare
  /** Runs a call when it is the caller's turn. */
  inTurn: FairSemaphore
  /** Counts a call, then runs it like `inTurn`. */
  runCall: FairSemaphore

  auth: SignIn & PasskeySignIn & { resolveIdentity: ResolveIdentity }
  accounts: Accounts
  emailLinks: EmailLinks
  notices: Notices
  knownBrowsers: KnownBrowsers
  apiKeys: ApiKeys
  serverKeys: ServerKeys
  passkeys: Passkeys
  sessions: Sessions
  userTokens: UserTokens
  uploads: UploadService
  backendFiles: BackendFiles
  shares: Shares & { visits: Visits }
  push: Omit<PushService, 'worker' | 'scheduler' | 'sweeper'>
  webhooks: Webhooks
  userAdministration: UserAdministration
  auditTrail: AuditTrail
}
