import type { AuditEvent } from '../audit.ts'
import type { Answers } from './circuit-breaker.ts'
import type { Outcome } from './outcome.ts'
import type { PushService } from './push-services.ts'
import type { MessageView, Scope } from './schema.ts'
import type { Timeline } from './timeline.ts'

export type Platform = 'ios' | 'android' | 'web'
export type ApnsEnvironment = 'production' | 'sandbox'
/** A gateway in one environment: what fails, hangs or is misconfigured as one, and holds up no other. */
export type Upstream = Platform | 'ios-sandbox' | `web-${Exclude<PushService, 'google'>}`

/** Where one push goes. */
export type Target = {
  deviceId: string
  platform: Platform
  /** The gateway's device token; of web the subscription's endpoint. */
  token: string
  environment: ApnsEnvironment
  /** Of web only: the keys of the subscription (base64url), and whose push service it is with. */
  webPush?: { p256dh: string; auth: string; service: PushService }
}

/** Text in another language than the message's own. */
export type Translation = { title: string; body: string; subtitle?: string }

/** How a push looks, sounds and behaves; as given by the caller. */
export type MessageOptions = {
  badge?: number
  sound?: string
  imageUrl?: string
  subtitle?: string
  threadId?: string
  interruptionLevel?: 'passive' | 'active' | 'time-sensitive'
  relevanceScore?: number
  mutableContent?: boolean
  actionCategory?: string
  androidChannelId?: string
  /** Opened on tap; on every platform in the payload under this name. */
  link?: string
  /** Laid over what we make (RFC 7396): `aps`, and request headers. */
  apns?: { aps?: Record<string, unknown>; headers?: Record<string, string> }
  /** FCM's AndroidConfig, laid over what we make (RFC 7396). */
  android?: Record<string, unknown>
}

/** What is sent, the same for every device of a message that reads the same language. */
export type Notification = MessageOptions & {
  messageId: string
  /** Shows nothing: wakes the app only. Then there are no title and body. */
  silent?: boolean
  title?: string
  body?: string
  /** Extra payload: beside `aps` for APNs; strings (others as JSON) for FCM. */
  data: Record<string, unknown>
  category: string
  /** The caller's collapse id, else made of the message id, so that a repeated push shows once. */
  collapseId: string
  /** After this the gateway may drop it. */
  expiresAt: Date
  priority: 'high' | 'normal'
}

/** A notification in one gateway's own form, made once per message and language. Opaque to the domain. */
export type Prepared = { readonly platform: Platform; readonly bytesOver: number }

/** A push gateway (APNs, FCM, web push). What a gateway or the network does is an Outcome, never an exception. */
export type Gateway = {
  readonly platform: Platform
  /** Encodes the payload; `bytesOver` is how far it is above the gateway's limit (0: it fits). */
  prepare(notification: Notification): Prepared
  /**
   * One attempt; the caller retries. Waits until it may be in flight; the timeout starts when the request is put on
   * a stream. `onTurn` is called then, and again if it has to move to another stream; if it returns false, the push
   * is not sent, because its caller no longer waits.
   */
  send(prepared: Prepared, target: Target, onTurn?: () => boolean): Promise<Outcome>
  /** Waits up to `timeoutMs` for what is in flight, then closes the connections. */
  close(timeoutMs?: number): Promise<void>
}

/** A device that is to get a push. */
export type Recipient = Target & {
  /** Language tag (BCP 47) in canonical form; null: the device did not say. */
  locale?: string | null
  /** When it last registered; it is removed only if it has not registered since. */
  lastSeenAt: Date
}

export type Failure = { deviceId: string; platform: Platform; reason: string }

export type MessageStatus = 'scheduled' | 'queued' | 'sending' | 'completed' | 'cancelled'

/** `alreadyCancelled`: by an earlier call; `completed`: too late. */
export type CancelResult = 'cancelled' | 'alreadyCancelled' | 'completed' | 'notFound'

/** `revoked`: the token was revoked meanwhile; `tooMany`: it has as many unfinished ones as it may have. */
export type BroadcastResult = 'accepted' | 'revoked' | 'tooMany'

/** What is sent and how, as stored with the message. */
export type Content = MessageOptions & {
  silent?: boolean
  /** Missing: silent. */
  title?: string
  body?: string
  /** By language tag in canonical form. */
  translations?: Record<string, Translation>
  data?: Record<string, unknown>
  category: string
  collapseId?: string
  ttlSeconds: number
  priority: 'high' | 'normal'
}

export type NewMessage = {
  id: string
  /** Null: a broadcast. */
  userId: string | null
  content: Content
  createdAt: Date
  expiresAt: Date
}

/** A push token in use, and the address that it is used from. */
export type Sender = PushCredential & { address: string }

/** Who sends: a push token, or (`id` null) the user himself, who tries a message on his own devices. */
export type MessageSender = { id: string | null; userId: string; address: string }

/** A message as it is accepted; its sender goes into the audit log. */
export type SentMessage = NewMessage & { sender: MessageSender }

/** Whom a broadcast is for. `user`: one, of whom the devices are looked up at `sendAt`. */
export type Audience =
  | { kind: 'all' }
  | { kind: 'topic'; topic: string }
  | { kind: 'users'; userIds: readonly string[] }
  | { kind: 'user'; userId: string }

/** With `sendAt` the audience is who is there then, otherwise who is there now. */
export type Broadcast = NewMessage & { sender: Sender; audience: Audience; sendAt?: Date }

/** What happened to some devices of a message; the circuit breaker decides about the suspects when it is recorded. */
export type Counts = {
  /** Devices counted as audience for the first time. */
  audience: Record<Platform, number>
  sent: number
  failed: number
  /** Of the failed. */
  failures: Failure[]
  gone: Removal[]
  suspects: Removal[]
  /** Final answers. */
  answers: Map<Upstream, Answers>
}

export type Removal = { recipient: Recipient; reason: string; since?: Date }

/** Devices of one upstream that are sent to later, together. */
export type RetryGroup = {
  upstream: Upstream
  platform: Platform
  deviceIds: string[]
  attempt: number
  delayMs: number
  /** How much of the delay the gateway asked for: it may end then, if the gateway is back. Without it: not sooner. */
  notBeforeMs?: number
}

/** A piece of a broadcast, claimed by this process. */
export type Chunk = {
  id: string
  message: NewMessage
  /** Where it is sent to; its devices of other upstreams are handed over to chunks of theirs. */
  upstream: Upstream
  /** The database's time when it was claimed. */
  claimedAt: Date
  /** The message was cancelled after a worker had claimed the chunk, and that worker has died since. */
  cancelled: boolean
  attempt: number
  /** The devices of a retry; otherwise the chunk is a range of device ids. */
  retry?: { platform: Platform; deviceIds: string[] }
  /** Of a range: whose devices. */
  platforms: readonly Platform[]
  /** Exclusive; null: from the first one. */
  afterId: string | null
  /** Inclusive. */
  lastId: string | null
}

/** A message in the list of its push token. */
export type SentItem = MessageView & { title: string | null; createdAt: Date }

/** A message in the list of the user whose push tokens sent it. */
export type SentByUser = SentItem & {
  body: string | null
  category: string
  /** `users`: several that were named. */
  target: 'all' | 'topic' | 'users' | 'user'
  /** Of a message to one. */
  topic: string | null
  /** Name of the push token. */
  tokenName: string
}

/** How many devices of a message failed for this reason. */
export type FailureCount = { platform: Platform; reason: string; count: number }

/** `id` is for paging. */
export type FailureItem = Failure & { id: string; userId: string | null; at: Date }

export type MessageRepo = {
  find(id: string): Promise<(MessageView & { pushTokenId: string | null }) | null>
  /** What this token has sent, newest first, older than `beforeId`. */
  listSentBy(pushTokenId: string, beforeId: string | undefined, limit: number): Promise<SentItem[]>
  /**
   * Broadcasts and scheduled messages of all push tokens, newest first, older than `beforeId`. `chunkSize`: devices of a
   * chunk at most.
   */
  listBroadcasts(beforeId: string | undefined, limit: number, chunkSize: number): Promise<AdminBroadcast[]>
  /** The devices that a message failed for, in the order of their failures, after `afterId`. */
  listFailures(messageId: string, afterId: string | undefined, limit: number): Promise<FailureItem[]>
  /** Stores a completed message to one user with its audit entry, and removes the devices it found gone or suspect. */
  recordDirect(message: SentMessage, counts: Counts): Promise<MessageView>
  /** In one transaction: the message, its chunks unless it is scheduled, the audit entry. */
  createBroadcast(message: Broadcast, limits: BroadcastLimits): Promise<BroadcastResult>
  /** Plans the chunks of one scheduled message that is due. False: there is none. */
  startScheduled(chunkSize: number): Promise<boolean>
  /** The time by which scheduled messages become due: the database's, whatever a replica's clock says. */
  now(): Promise<Date>
  /** Nothing more of the message is claimed; writes an audit entry. */
  cancel(id: string, by: CancelledBy): Promise<CancelResult>
}

/** What a user was sent. */
export type InboxRepo = {
  /**
   * Messages to this user or to everybody since the account exists, newest first, older than `beforeId`; not those
   * that were cancelled before anybody got them, nor silent ones.
   */
  list(userId: string, beforeId: string | undefined, limit: number): Promise<InboxMessage[]>
  /** How many of these are not read, up to `most`. */
  countUnread(userId: string, most: number): Promise<number>
  /** This message and all before it are read. False: it is not in this user's inbox. */
  markRead(userId: string, messageId: string): Promise<boolean>
}

/** What a user's push tokens have sent. */
export type SentMessageRepo = {
  /** Newest first, older than `beforeId`. */
  list(userId: string, beforeId: string | undefined, limit: number): Promise<SentByUser[]>
  /** Null: none of this user's. */
  find(userId: string, messageId: string): Promise<SentByUser | null>
  /** Null: none of this user's. */
  timeline(userId: string, messageId: string): Promise<{ timeline: Timeline | null } | null>
  /** Most frequent first. */
  countFailures(messageId: string, most: number): Promise<FailureCount[]>
}

export type BroadcastLimits = {
  /** Devices of a chunk. */
  chunkSize: number
  /** Messages of this kind (broadcasts, or scheduled ones to single users) that a token may have unfinished. */
  maxUnfinished: number
}

/**
 * Who cancels a message: its push token, that token's owner (`userId`), or else an administrator, who is `actor` if not
 * whoever knows the admin secret.
 */
export type CancelledBy = {
  token: PushCredential | undefined
  userId?: string
  actor?: string
  address: string
}

/** A broadcast as administrators see it. */
export type AdminBroadcast = MessageView & {
  title: string | null
  category: string
  createdAt: Date
  completedAt: Date | null
  /** To everybody, and not to the users of a list or topic. */
  toAll: boolean
  /** Devices that it may still go to: at most so many. */
  remaining: number
  /** Null: deleted with its owner. */
  pushToken: { id: string; name: string; userId: string } | null
}

/** A message as the user it was sent to sees it. */
export type InboxMessage = {
  id: string
  title: string
  subtitle: string | null
  body: string
  category: string
  imageUrl: string | null
  link: string | null
  data: Record<string, unknown>
  /** It went to everybody. */
  broadcast: boolean
  unread: boolean
  createdAt: Date
}

export type ChunkRepo = {
  /** Claims chunks that are due, up to `free` of each upstream; not `except`, which this process has in work. */
  claim(
    leaseId: string,
    free: ReadonlyMap<Upstream, number>,
    leaseMs: number,
    except: string[],
  ): Promise<Chunk[]>
  /**
   * Makes chunks of these upstreams that wait for a retry due now, or as soon as the gateway asked for: of each up to
   * `limit`, those that may go first; null: all.
   */
  makeDue(upstreams: Upstream[], limit: number | null): Promise<void>
  /** Extends the lease of those that it still holds. Returns those of their messages that were cancelled. */
  extend(leaseId: string, chunkIds: string[], leaseMs: number): Promise<string[]>
  /** Releases what was claimed and not recorded. */
  release(leaseId: string): Promise<void>
  /** The chunk's devices that get pushes now, opt-outs applied. */
  read(chunk: Chunk): Promise<Recipient[]>
  /**
   * Adds the results to the message and deletes the chunk, in one transaction. Retries of a cancelled message count as
   * failed. False: another worker has it now.
   */
  record(chunk: Chunk, leaseId: string, counts: Counts, retries: RetryGroup[]): Promise<boolean>
}

export type DeviceView = {
  id: string
  platform: Platform
  name: string | null
  environment: ApnsEnvironment
  tokenSuffix: string
  disabledReason: string | null
  createdAt: Date
  lastSeenAt: Date
}

/** Who registers a device. `epoch`: of the session; a higher one of the user means that all his sessions have ended. */
export type SignedInUser = { id: string; epoch: number }

/** A device as it is stored. */
export type DeviceRegistration = Pick<Target, 'platform' | 'token' | 'environment' | 'webPush'> & {
  name?: string
  /** In canonical form. */
  locale?: string
}

export type DeviceRepo = {
  /**
   * Adds, refreshes or takes over the token, and deletes the user's least recently seen devices above `maxPerUser`.
   * A token that was another user's stays in that user's list as moved, and in the audit log with `address`. Null: no
   * such user, or the session has ended by now. `onNew` is called before a device is added; what it throws undoes it.
   */
  register(
    user: SignedInUser,
    device: DeviceRegistration,
    options: { maxPerUser: number; address: string; onNew: () => Promise<void> },
  ): Promise<{ id: string } | null>
  unregister(userId: string, token: string): Promise<void>
  remove(userId: string, deviceId: string): Promise<void>
  list(userId: string): Promise<DeviceView[]>
  /** Who gets a push of this category, opt-outs applied; null: no such user. */
  recipientsOf(userId: string, category: string): Promise<Recipient[] | null>
  /** How many devices a broadcast of this category would reach. */
  countAll(category: string): Promise<Record<Platform, number>>
  /** Whether there is any device of this platform. */
  hasAny(platform: Platform): Promise<boolean>
  /** How many devices of these users would get a push of this category. */
  countOf(userIds: readonly string[], category: string): Promise<Record<Platform, number>>
  /** How many devices of this topic's subscribers would get a push of this category. */
  countTopic(topic: string, category: string): Promise<Record<Platform, number>>
  /** Those of these ids that are no users. */
  unknownUsers(userIds: readonly string[]): Promise<string[]>
}

export type Subscription = { topic: string; subscribedAt: Date }

/** Who changes the subscriptions of another: a push token, or the administrator (undefined). */
export type TopicAdministrator = { token: PushCredential | undefined; address: string }

export type TopicRepo = {
  /**
   * Idempotent. `noUser`: there is none, or his sessions of this `epoch` have ended (undefined: not asked for). `by`:
   * writes an audit entry if that changes something.
   */
  subscribe(
    user: { id: string; epoch?: number },
    topic: string,
    maxPerUser: number,
    by?: TopicAdministrator,
  ): Promise<'subscribed' | 'noUser' | 'tooMany'>
  /** Idempotent; false: no such user. `by` as above. */
  unsubscribe(userId: string, topic: string, by?: TopicAdministrator): Promise<boolean>
  /** By name. */
  list(userId: string): Promise<Subscription[]>
}

/** `content`: fields of a push, as the user has left them. */
export type Template = { name: string; content: Record<string, unknown>; updatedAt: Date }

export type TemplateRepo = {
  /** By name. */
  list(userId: string): Promise<Template[]>
  /** One of the same name is replaced. `noUser`: his sessions of this epoch have ended. */
  save(
    user: SignedInUser,
    template: Pick<Template, 'name' | 'content'>,
    maxPerUser: number,
  ): Promise<'saved' | 'noUser' | 'tooMany'>
  /** Idempotent. */
  remove(userId: string, name: string): Promise<void>
}

export type Preferences = { pushEnabled: boolean; mutedCategories: string[] }

export type PreferenceRepo = {
  get(userId: string): Promise<Preferences>
  update(userId: string, change: Partial<Preferences>): Promise<Preferences>
}

export type PushTokenView = {
  id: string
  name: string
  userId: string
  allowBroadcast: boolean
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

/** A push token that is valid now. */
export type PushCredential = { id: string; userId: string; scopes: readonly Scope[] }

/** A push token as administrators see it. */
export type AdminPushToken = PushTokenView & {
  scopes: Scope[]
  /** Whose it is. */
  user: { email: string | null; name: string | null }
}

/** Which push tokens an administrator lists. */
export type PushTokenSearch = { userId: string | undefined; beforeId: string | undefined; limit: number }

/** Who administers, for audit entries. */
export type AdministeredBy = Pick<AuditEvent, 'actor' | 'address'>

export type PushTokenRepo = {
  /** Writes an audit entry too; false: no such user. */
  create(token: Omit<AdminPushToken, 'user'> & { hash: string }, by: AdministeredBy): Promise<boolean>
  list(userId: string): Promise<PushTokenView[]>
  /** Of all users, newest first. */
  search(search: PushTokenSearch): Promise<AdminPushToken[]>
  /**
   * Cancels its unfinished messages and writes an audit entry too; true also if it was revoked before; false: no such
   * token.
   */
  revoke(id: string, at: Date, by: AdministeredBy): Promise<boolean>
  /** The valid token with this hash; records its use at most once a minute. */
  use(hash: string, at: Date): Promise<PushCredential | null>
}

export type IdempotencyClaim =
  /** This request does the work; `takenOver`: an earlier one began it and its lease has run out. */
  | { kind: 'acquired'; messageId: string; takenOver: boolean }
  | { kind: 'completed'; httpStatus: number; answer: MessageView }
  | { kind: 'inProgress' }
  | { kind: 'bodyMismatch' }

export type IdempotencyKeyRef = { pushTokenId: string; key: string; bodyHash: string; messageId: string }

export type IdempotencyRepo = {
  /** `messageId` is for a new key; a request that takes over gets the first one's. */
  claim(ref: IdempotencyKeyRef, leaseMs: number): Promise<IdempotencyClaim>
  extend(ref: IdempotencyKeyRef, leaseMs: number): Promise<void>
  complete(ref: IdempotencyKeyRef, httpStatus: number, answer: MessageView): Promise<void>
  /** Nothing was sent: the key may be used again. */
  release(ref: IdempotencyKeyRef): Promise<void>
}

/** Each deletes up to `limit` rows and returns how many. */
export type RetentionRepo = {
  /** Completed and cancelled ones only. */
  deleteMessages(before: Date, limit: number): Promise<number>
  deleteKeys(before: Date, limit: number): Promise<number>
  deleteMovedDevices(before: Date, limit: number): Promise<number>
  deleteFailures(before: Date, limit: number): Promise<number>
  deleteAudit(times: { before: Date; sendsBefore: Date }, limit: number): Promise<number>
}
