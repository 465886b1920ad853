/** Types of the admin API. Times are ISO 8601, sizes are in bytes. */

import type { Outputs } from './client.ts'

export type AdminPage<Item> = { items: Item[]; nextCursor: string | null }

export type AdminUser = {
  id: string
  email: string | null
  /** False: the user signed up with the email, which can be another's. Null: the user has no email at this service. */
  emailVerified: boolean | null
  name: string | null
  externalId: string | null
  role: 'user' | 'admin'
  createdAt: string
  lastSeenAt: string | null
  disabled: boolean
  /** Null for the server's default. */
  quotaBytes: number | null
  usedBytes: number
  reservedBytes: number
  /** Number of ready files. */
  files: number
  devices: number
}

/** A user's device, as in `devices.list`. */
export type AdminDevice = Outputs['devices']['list']['items'][number]

/** A new user has an email, an `externalId`, or both. */
export type NewAdminUser = {
  email?: string
  password?: string
  externalId?: string
  name?: string
  /** Null or omitted for the server's default. */
  quotaBytes?: number | null
  role?: 'user' | 'admin'
  /** Emails the user a link to set a password, instead of `password`. Requires SMTP on the server. */
  invite?: true
}

export type AdminUserChange = {
  name?: string | null
  quotaBytes?: number | null
  disabled?: boolean
  password?: string
  /** Requires a recent sign-in. You cannot change your own. */
  role?: 'user' | 'admin'
}

/** `name`: by email, or else name or ID, A to Z. `storage`: largest first. `lastSeen`: latest first. */
export type AdminUserSort = 'newest' | 'oldest' | 'name' | 'storage' | 'lastSeen'

/** `withTotal`: the page also has `total`, the number of users on all pages. */
export type AdminUserSearch = {
  email?: string
  externalId?: string
  query?: string
  role?: 'user' | 'admin'
  /** `unverified`: the user has not verified the email. */
  status?: 'active' | 'disabled' | 'unverified'
  sort?: AdminUserSort
  withTotal?: boolean
}

export type PushTokenScope = 'self' | 'users' | 'broadcast'

export type AdminPushToken = {
  id: string
  name: string
  userId: string
  user: { email: string | null; name: string | null }
  scopes: PushTokenScope[]
  allowBroadcast: boolean
  /** Last four characters of the token. Null: an earlier release created it. */
  suffix: string | null
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** A new push token has a `userId` or an `externalUserId`. */
export type NewPushToken = {
  userId?: string
  externalUserId?: string
  name: string
  expiresInDays?: number
  scopes?: PushTokenScope[]
}

export type ServerKeyScope =
  | 'users:read'
  | 'users:write'
  | 'user-tokens:create'
  | 'files:read'
  | 'files:delete'
  | 'files:verdict'
  | 'topics:write'

export type ServerKey = {
  id: string
  name: string
  scopes: ServerKeyScope[]
  /** Last four characters of the key. */
  suffix: string
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
}

export type NewServerKey = { name: string; scopes: ServerKeyScope[]; expiresInDays?: number }

export type UserTokenScope =
  | 'uploads:write'
  | 'files:read'
  | 'files:delete'
  | 'devices:write'
  | 'messages:read'

/** A new user token has a `userId` or an `externalId`. */
export type NewUserToken = {
  userId?: string
  /** Your app's ID for the user. An unknown one creates the user. */
  externalId?: string
  /** 60 to 3600, default 900. */
  ttlSeconds?: number
  /** Default: all. */
  scopes?: UserTokenScope[]
  /** `policy` and `data` of each upload with this token, and combined limits for all of them. */
  upload?: {
    policy?: string
    data?: Record<string, string | number | boolean>
    maxFiles?: number
    maxBytes?: number
  }
  /** For display, with `externalId`. */
  email?: string
  name?: string
}

export type UserToken = { token: string; expiresAt: string; userId: string }

export type BackendFile = {
  id: string
  userId: string
  externalId: string | null
  /** Owner, for display. */
  user: { email: string | null; name: string | null }
  filename: string
  mimeType: string
  size: number
  state: 'PENDING' | 'UPLOADING' | 'HELD' | 'READY' | 'ABORTED' | 'EXPIRED' | 'REJECTED'
  key: string
  policy: string | null
  data: Record<string, string | number | boolean> | null
  visibility: 'private' | 'public'
  /** Null until the file is ready. */
  url: string | null
  createdAt: string
  readyAt: string | null
  /** When an unfinished upload expires, or a held file is decided without a verdict. */
  expiresAt: string | null
  /** Verdict on a held file at `expiresAt`, if nobody decides before. Null for other files. */
  timeoutVerdict: 'accept' | 'reject' | null
}

/** Filters of files. All must match. */
export type BackendFileSearch = {
  userId?: string
  /** Cannot be combined with `userId`. */
  externalId?: string
  policy?: string
  state?: BackendFile['state']
  /** Part of the file name, in any case. */
  query?: string
  /** At most one key and its exact value. */
  data?: NonNullable<BackendFile['data']>
}

export type AdminBroadcast = {
  id: string
  status: 'scheduled' | 'queued' | 'sending' | 'completed' | 'cancelled' | 'dry-run'
  audience: { ios: number; android: number; web: number }
  sent: number
  failed: number
  removed: number
  /** At most 20. */
  failures: { deviceId: string; platform: 'ios' | 'android' | 'web'; reason: string }[]
  sendAt?: string
  /** Null for silent pushes. */
  title: string | null
  body: string | null
  link: string | null
  imageUrl: string | null
  category: string
  createdAt: string
  completedAt: string | null
  /** True if sent to all users, false for a list of users or a topic. */
  toAll: boolean
  /** Apps whose devices it is for; null: all. */
  apps: string[] | null
  target: 'all' | 'topic' | 'users' | 'user'
  topic: string | null
  /** Maximum number of devices that this broadcast can still reach. */
  remaining: number
  /** Null if the token was deleted with its owner. */
  pushToken: { id: string; name: string; userId: string } | null
}

export type AdminBroadcastDetails = AdminBroadcast & {
  /** Failed devices by reason, most frequent first: of the first 10,000, kept for 7 days. */
  failureCounts: { platform: 'ios' | 'android' | 'web'; reason: string; count: number }[]
}

export type AdminBroadcastSearch = {
  /** Part of the title, in any case. */
  query?: string
  status?: 'scheduled' | 'queued' | 'sending' | 'completed' | 'cancelled'
  topic?: string
  pushTokenId?: string
}

/**
 * Device that a message failed for. `userId`: null if the device had been removed. `user`: null if the user has been
 * deleted, too.
 */
export type MessageFailure = {
  deviceId: string
  userId: string | null
  platform: 'ios' | 'android' | 'web'
  reason: string
  at: string
  user: { email: string | null; name: string | null } | null
}

export type DeploymentState = {
  status: 'ready' | 'unavailable' | 'draining'
  checks: Record<string, 'ok' | 'failed'>
  degraded: string[]
  gateways: {
    app: string
    platform: 'ios' | 'android' | 'web'
    configured: boolean
    openCircuitBreakers: string[]
  }[]
  queue: { due: number; leased: number; waiting: number; scheduled: number }
  webhooks: { pending: number; failing: number }
}

export type Finding = {
  check: string
  status: 'ok' | 'warn' | 'FAIL'
  message: string
  receivers?: { total: number; first: { webhookId: string; host: string; ended: boolean }[] } | undefined
}
export type Findings = { ok: boolean; findings: Finding[] }

export type WebhookEvent =
  | 'file.ready'
  | 'file.held'
  | 'file.rejected'
  | 'file.expired'
  | 'file.deleted'
  | 'push.completed'
  | 'device.removed'
  | 'device.disabled'

type FileEventData = {
  userId: string
  /** Your app's ID for the user. Null for users who sign in at the server, and once the account is deleted. */
  externalId: string | null
  fileId: string
  filename: string
  mimeType: string
  size: number
  key: string
  policy: string | null
  data: Record<string, string | number | boolean> | null
  visibility: 'private' | 'public'
}

type DeviceEventData = {
  userId: string
  externalId: string | null
  deviceId: string
  platform: 'ios' | 'android' | 'web'
  name: string | null
}

/** `data` of an event by its type. */
export type WebhookEventData = {
  /** Sent by an administrator to try a webhook, whatever it subscribes to. */
  'webhook.test': { test: true }
  'file.ready': FileEventData & { url: string }
  /** `url` reads the bytes, for 1 hour after each attempt. */
  'file.held': FileEventData & { url: string }
  'file.rejected': FileEventData & { reason: string }
  'file.expired': FileEventData
  'file.deleted': FileEventData
  'push.completed': {
    /** Null unless the push went to one user. */
    userId: string | null
    externalId: string | null
    messageId: string
    pushTokenId: string | null
    category: string
    audience: { ios: number; android: number; web: number }
    sent: number
    failed: number
    removed: number
  }
  'device.removed': DeviceEventData
  'device.disabled': DeviceEventData & { reason: string }
}

export type Webhook = {
  id: string
  url: string
  events: WebhookEvent[]
  description: string | null
  active: boolean
  createdAt: string
  /** Time at which the receiver responded with 410. */
  endedAt: string | null
  failingSince: string | null
  /** True if a delivery waits for another attempt after a failed one. */
  retrying: boolean
  /** Latest attempt among the newest 1,000 events. `httpStatus` is null without a response, `failure` if it was delivered. */
  lastAttempt: {
    at: string
    type: WebhookEvent | 'webhook.test'
    httpStatus: number | null
    failure: string | null
  } | null
  /** Results of the newest 100 events, without pending ones. */
  recent: { delivered: number; failed: number }
}

export type WebhookDelivery = {
  id: string
  type: WebhookEvent | 'webhook.test'
  sequence: number
  status: 'pending' | 'delivered' | 'failed'
  attempts: number
  createdAt: string
  lastAttemptAt: string | null
  nextAttemptAt: string | null
  httpStatus: number | null
  failure: string | null
  /**
   * The latest attempts (at most 20), oldest first. `at`: when it ended. `httpStatus` is null without a response;
   * `failure` is null if it was delivered.
   */
  history: { at: string; httpStatus: number | null; failure: string | null; durationMs: number }[]
  /** The event's `data`, without the URL of a file, which is added to each attempt. */
  data: Record<string, unknown>
}

export type AuditEntry = {
  id: string
  at: string
  action: string
  /** `user:ID`, `token:ID`, `key:ID` or `admin`; null if unknown. */
  actor: string | null
  /** Email or name of the user, or name of the key or token. Null: unknown or deleted. */
  actorName: string | null
  userId: string | null
  /** Email or name. Null: deleted. */
  userName: string | null
  subjectId: string | null
  /** Title of a canceled message, name of a shared file, or origin of a webhook. Null: another subject, or deleted. */
  subjectName: string | null
  address: string | null
  details: Record<string, string | number | boolean | null>
}

export type AuditSearch = {
  /** User who acted or was affected. */
  userId?: string
  /** `user:ID`, `token:ID` (push token), `key:ID` (server key) or `admin`. */
  actor?: string
  action?: string
  /** ISO 8601 with an offset. `to` is exclusive. */
  from?: string
  to?: string
  /** Leaves out your own GET calls to the admin API. */
  hideOwnReads?: boolean
  /** Leaves out calls to the admin API that only read, were rejected (except with 401 or 403), or whose change has its own entry. */
  hideCalls?: boolean
}
