import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

export type AuditAction =
  | 'account.created'
  | 'account.deleted'
  | 'account.taken_over'
  | 'email.verified'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.role.changed'
  | 'password.changed'
  | 'password.refused'
  | 'password.reset'
  | 'session.created'
  | 'session.refused'
  | 'session.ended'
  | 'admin.called'
  | 'admin.refused'
  | 'device.moved'
  | 'push.token.created'
  | 'push.token.revoked'
  | 'push.sent'
  | 'push.broadcast'
  | 'push.cancelled'
  | 'share.created'
  | 'share.revoked'
  | 'topic.subscribed'
  | 'topic.unsubscribed'

/** Who did what to whom, from where: what an operator may have to answer for. */
export type AuditEvent = {
  action: AuditAction
  /** `user:ID`, `token:ID` (a push token) or `admin` (the admin secret, the command line); null: nobody known. */
  actor: string | null
  /** The user who did it, or to whom it was done. */
  userId?: string | null
  /** What else it was done to: a push token, message, device or share. */
  subjectId?: string
  /** `RequestInfo.address`; null: not over the network. */
  address: string | null
  details?: Record<string, string | number | boolean | null>
}

export type AuditRepo = { add(event: AuditEvent): Promise<void> }

/**
 * Records what is not written in the transaction of the fact itself. Never throws: an entry that cannot be stored goes
 * to the log.
 */
export type Audit = {
  record(event: AuditEvent): Promise<void>
  /** As `record`, for what a stranger can repeat at will. */
  recordRefusal(event: AuditEvent): Promise<void>
}

/**
 * Refusals stored in a minute by one process, some 200 bytes each. The limits by account and address are far below;
 * this one bounds what many addresses can write together.
 */
export const MAX_REFUSALS_PER_MINUTE = 600
const MINUTE_MS = 60_000

export function createAudit({ repo, clock, log }: { repo: AuditRepo; clock: Clock; log: Logger }): Audit {
  let windowEnd = 0
  let refusals = 0

  async function record(event: AuditEvent): Promise<void> {
    try {
      await repo.add(event)
    } catch (error) {
      log.error({ err: error, audit: event }, 'could not store an audit entry')
    }
  }

  /** The first entry of a new minute says how many of the last one were left out. */
  async function recordRefusal(event: AuditEvent): Promise<void> {
    const now = clock.now().getTime()
    let leftOut = 0
    if (now >= windowEnd) {
      leftOut = Math.max(0, refusals - MAX_REFUSALS_PER_MINUTE)
      windowEnd = now + MINUTE_MS
      refusals = 0
    }
    if (++refusals > MAX_REFUSALS_PER_MINUTE) return
    await record(leftOut === 0 ? event : { ...event, details: { ...event.details, leftOut } })
  }

  return { record, recordRefusal }
}

/** The actor of what a user does. */
export const userActor = (userId: string): string => `user:${userId}`

/** The actor of what a script does with a push token. */
export const tokenActor = (pushTokenId: string): string => `token:${pushTokenId}`

/** Who knows the admin secret, or has the command line. */
export const ADMIN_ACTOR = 'admin'
