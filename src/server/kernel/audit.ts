import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

export type AuditAction =
  | `account.${'created' | 'deleted' | 'taken_over'}`
  | `admin.${'called' | 'refused'}`
  | `api_key.${'created' | 'revoked'}`
  | 'device.moved'
  | 'email.verified'
  | `file.${'accepted' | 'rejected'}`
  | `passkey.${'created' | 'changed' | 'deleted'}`
  | `password.${'changed' | 'refused' | 'reset'}`
  | `push.${'sent' | 'broadcast' | 'cancelled' | 'token.created' | 'token.revoked'}`
  | `recovery_code${'.used' | 's.created'}`
  | `session.${'created' | 'renewed' | 'refused' | 'ended'}`
  | `server_key.${'created' | 'revoked'}`
  | `share.${'created' | 'refused' | 'revoked'}`
  | `topic.${'subscribed' | 'unsubscribed'}`
  | `user.${'changed' | 'disabled' | 'enabled' | 'role.changed'}`
  | 'webhook.changed'

/** Action that an operator can be asked to account for. */
export type AuditEvent = {
  action: AuditAction
  /**
   * `user:ID`, `token:ID` (a push token), `key:ID` (a server key) or `admin` (the admin secret or the command line).
   * Null: unknown, or the sweeper.
   */
  actor: string | null
  /** User who acted or was affected. */
  userId?: string | null
  /** Affected file, push token, message, device, API key, server key, passkey, share, session or webhook. */
  subjectId?: string
  /** `RequestInfo.address`. Null: not over the network. */
  address: string | null
  details?: Record<string, AuditValue>
}

/** Administrator, for audit entries. */
export type AdminActor = Pick<AuditEvent, 'actor' | 'address'>

type AuditValue = string | number | boolean | null

/**
 * Returns the details of one entry for each field that a change sets to another value. Undefined fields stay as they
 * are. Never pass secrets: the entry contains the old and the new value.
 */
export function changedFields<Field extends string>(
  before: Record<Field, AuditValue>,
  change: Partial<Record<Field, AuditValue | undefined>>,
): { field: Field; old: AuditValue; new: AuditValue }[] {
  return (Object.keys(before) as Field[]).flatMap((field) => {
    const value = change[field]
    return value === undefined || value === before[field] ? [] : [{ field, old: before[field], new: value }]
  })
}

export type AuditRepo = { add(event: AuditEvent): Promise<void> }

/**
 * Maximum number of rejections that one process stores per minute, about 200 bytes each. Limits per account and address
 * are far lower; this one bounds what many addresses can write together.
 */
export const MAX_REJECTIONS_PER_MINUTE = 600
const MINUTE_MS = 60_000

/** Time for which identical calls are counted before they are stored as one entry. */
export const COUNTED_MS = 5_000
/** Maximum number of different calls that are counted at once. */
const MAX_COUNTED = 1_000

export type Audit = ReturnType<typeof createAudit>

/** Records events that are not written in the transaction of the change itself. */
export function createAudit({ repo, clock, log }: { repo: AuditRepo; clock: Clock; log: Logger }) {
  let windowEnd = 0
  let rejections = 0

  /** Never throws: logs an entry that cannot be stored. */
  async function record(event: AuditEvent): Promise<void> {
    try {
      await repo.add(event)
    } catch (error) {
      log.error({ err: error, audit: event }, 'could not store an audit entry')
    }
  }

  /**
   * Records a rejection, at a limited rate: strangers can cause any number. The first entry of each minute counts
   * those that the previous minute left out.
   */
  async function recordRejection(event: AuditEvent): Promise<void> {
    const now = clock.now().getTime()
    let leftOut = 0
    if (now >= windowEnd) {
      leftOut = Math.max(0, rejections - MAX_REJECTIONS_PER_MINUTE)
      windowEnd = now + MINUTE_MS
      rejections = 0
    }
    if (++rejections > MAX_REJECTIONS_PER_MINUTE) return
    await record(leftOut === 0 ? event : { ...event, details: { ...event.details, leftOut } })
  }

  const counted = new Map<string, { event: AuditEvent; calls: number }>()
  let timer: NodeJS.Timeout | undefined

  /**
   * Counts a call that a backend makes very often. Identical calls within `COUNTED_MS` become one entry, whose
   * `calls` is their number, so that most calls cost no statement. A process that is killed loses what it has not
   * stored.
   */
  function recordCounted(event: AuditEvent): void {
    count(event, 1)
  }

  /** Records the first of identical calls at once, and counts those that follow within `COUNTED_MS`. */
  async function recordRepeated(event: AuditEvent): Promise<void> {
    if (count(event, 0)) await record(event)
  }

  /** Returns true for the first of identical calls, which counts as `first` calls. */
  function count(event: AuditEvent, first: number): boolean {
    const key = JSON.stringify(event)
    const known = counted.get(key)
    if (known) known.calls++
    else counted.set(key, { event, calls: first })
    if (counted.size >= MAX_COUNTED) void flush()
    else timer ??= setTimeout(flush, COUNTED_MS).unref()
    return !known
  }

  /** Stores what has been counted. */
  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const entries = [...counted.values()]
    counted.clear()
    for (const { event, calls } of entries)
      if (calls > 0) await record({ ...event, details: { ...event.details, calls } })
  }

  return { record, recordRejection, recordCounted, recordRepeated, flush }
}

export const userActor = (userId: string): string => `user:${userId}`

/** Returns the fields of an event in which a user changed something in their own account. */
export const byUser = (userId: string, address: string) => ({ actor: userActor(userId), userId, address })

/** Returns the actor of a script that uses a push token. */
export const tokenActor = (pushTokenId: string): string => `token:${pushTokenId}`

/** Returns the actor of a backend that uses a server key. */
export const keyActor = (serverKeyId: string): string => `key:${serverKeyId}`

/** Actor with the admin secret or the command line. */
export const ADMIN_ACTOR = 'admin'
