import type { Outcome } from './outcome.ts'
import type { MessageView, RegisterDeviceInput } from './schema.ts'

export type Platform = 'ios' | 'android'
export type ApnsEnvironment = 'production' | 'sandbox'

/** Where one push goes. */
export type Target = {
  deviceId: string
  platform: Platform
  /** The gateway's device token. */
  token: string
  environment: ApnsEnvironment
}

/** What is sent, the same for every device of a message. */
export type Notification = {
  messageId: string
  title: string
  body: string
  /** Extra payload: beside `aps` for APNs; strings (others as JSON) for FCM. */
  data: Record<string, unknown>
  category: string
  /** The caller's collapse id, else made of the message id, so that a repeated push shows once. */
  collapseId: string
  /** After this the gateway may drop it. */
  expiresAt: Date
  priority: 'high' | 'normal'
  badge?: number
  sound?: string
  imageUrl?: string
}

/** A notification in one gateway's own form, made once per message. Opaque to the domain. */
export type Prepared = { readonly platform: Platform; readonly bytesOver: number }

/** A push gateway (APNs, FCM). Never throws for what a gateway or network does: that is an Outcome. */
export type Gateway = {
  readonly platform: Platform
  /** Encodes the payload; `bytesOver` is how far it is above the gateway's limit (0: it fits). */
  prepare(notification: Notification): Prepared
  /**
   * One attempt; retrying is the caller's. Waits for a free place in flight; the time limit starts when the
   * request is put on a stream. `onTurn` is called then, again if it has to go onto another one; with false it
   * is not sent: nobody waits for it any longer.
   */
  send(prepared: Prepared, target: Target, onTurn?: () => boolean): Promise<Outcome>
  /** Waits for what is in flight (up to `timeoutMs`), then closes the connections. */
  close(timeoutMs?: number): Promise<void>
}

/** A device that is to get a push. */
export type Recipient = Target & {
  /** When it last registered; a removal holds only if that is still so. */
  lastSeenAt: Date
}

export type Failure = { deviceId: string; platform: Platform; reason: string }

export type MessageStatus = 'queued' | 'sending' | 'completed'

/** What is sent and how, as stored with the message. */
export type Content = {
  title: string
  body: string
  data?: Record<string, unknown>
  category: string
  collapseId?: string
  ttlSeconds: number
  priority: 'high' | 'normal'
  badge?: number
  sound?: string
  imageUrl?: string
}

export type NewMessage = {
  id: string
  pushTokenId: string
  /** Null: everybody. */
  userId: string | null
  content: Content
  createdAt: Date
  expiresAt: Date
}

/** What happened to some devices of a message; the brake decides about the suspects when it is recorded. */
export type Tally = {
  /** Newly counted as audience. */
  audience: Record<Platform, number>
  sent: number
  failed: number
  /** Of the failed; enough to fill a message's list. */
  failures: Failure[]
  gone: Removal[]
  suspects: Removal[]
  /** Answers that settled a device, from each gateway itself. */
  answers: Record<Platform, number>
}

export type Removal = { recipient: Recipient; reason: string; since?: Date }

/** Devices that are tried again together. */
export type RetryGroup = { platform: Platform; deviceIds: string[]; attempt: number; delayMs: number }

/** A piece of a broadcast, taken by this process. */
export type Chunk = {
  id: string
  message: NewMessage
  attempt: number
  /** Of a retry: the devices' platform and ids. Else a range of ids. */
  retry?: { platform: Platform; deviceIds: string[] }
  afterId: string | null
  lastId: string | null
}

export type MessageRepo = {
  find(id: string): Promise<(MessageView & { pushTokenId: string }) | null>
  /** Stores a completed message of one user together with the removals it caused. */
  recordDirect(message: NewMessage, tally: Tally): Promise<MessageView>
  /** In one transaction: the message, its chunks planned over the devices there are, the audit entry. */
  createBroadcast(message: NewMessage, chunkSize: number): Promise<void>
}

/** A message as the person it was sent to sees it. */
export type InboxMessage = Pick<Content, 'title' | 'body' | 'category'> & {
  id: string
  data: Record<string, unknown>
  /** It went to everybody. */
  broadcast: boolean
  createdAt: Date
}

export type InboxRepo = {
  /** Newest first, older than `beforeId`. */
  sentTo(userId: string, beforeId: string | undefined, limit: number): Promise<InboxMessage[]>
}

export type ChunkRepo = {
  /** Takes up to `limit` chunks that are due, for `leaseMs`; not `except`, which are at work here. */
  claim(leaseId: string, limit: number, leaseMs: number, except: string[]): Promise<Chunk[]>
  /** Holds on to these, as far as this lease has them. */
  extend(leaseId: string, chunkIds: string[], leaseMs: number): Promise<void>
  /** Gives back what was taken and not recorded. */
  release(leaseId: string): Promise<void>
  /** The chunk's devices that get pushes at this moment, opt-outs applied. */
  read(chunk: Chunk): Promise<Recipient[]>
  /** Adds the results to the message and removes the chunk, all or nothing. False: another has it now. */
  record(chunk: Chunk, leaseId: string, tally: Tally, retries: RetryGroup[]): Promise<boolean>
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

export type DeviceRepo = {
  /** Adds, refreshes or takes over the token, and drops the user's least recently seen ones above `maxPerUser`. Null: no such user. */
  register(userId: string, device: RegisterDeviceInput, maxPerUser: number): Promise<{ id: string } | null>
  unregister(userId: string, token: string): Promise<void>
  remove(userId: string, deviceId: string): Promise<void>
  list(userId: string): Promise<DeviceView[]>
  /** Who gets a push of this category, opt-outs applied; null: no such user. */
  recipientsOf(userId: string, category: string): Promise<Recipient[] | null>
  /** How many a broadcast would reach. */
  countAll(category: string): Promise<Record<Platform, number>>
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
export type PushCredential = { id: string; userId: string; allowBroadcast: boolean }

export type TokenRepo = {
  /** With its audit entry; false: no such user. */
  create(token: PushTokenView & { hash: string }): Promise<boolean>
  list(userId: string): Promise<PushTokenView[]>
  /** With its audit entry; true also when it was revoked before; false: no such token. */
  revoke(id: string, at: Date): Promise<boolean>
  /** The valid token with this hash; notes the use at most once a minute. */
  use(hash: string, at: Date): Promise<PushCredential | null>
}

export type IdempotencyClaim =
  /** Ours to do; `takenOver`: a first one began it and did not come back. */
  | { kind: 'mine'; messageId: string; takenOver: boolean }
  | { kind: 'done'; httpStatus: number; answer: MessageView }
  | { kind: 'busy' }
  | { kind: 'otherBody' }

export type IdempotencyKeyRef = { pushTokenId: string; key: string; bodyHash: string; messageId: string }

export type IdempotencyRepo = {
  /** `messageId` is a proposal; whoever takes over gets the first one's. */
  claim(ref: IdempotencyKeyRef, leaseMs: number): Promise<IdempotencyClaim>
  extend(ref: IdempotencyKeyRef, leaseMs: number): Promise<void>
  finish(ref: IdempotencyKeyRef, httpStatus: number, answer: MessageView): Promise<void>
  /** Nothing was done: the key is free again. */
  forget(ref: IdempotencyKeyRef): Promise<void>
}

/** Each removes up to `limit` rows and tells how many. */
export type RetentionRepo = {
  /** Completed ones that were created before. */
  deleteMessages(before: Date, limit: number): Promise<number>
  deleteKeys(before: Date, limit: number): Promise<number>
  deleteAudit(before: Date, limit: number): Promise<number>
}
