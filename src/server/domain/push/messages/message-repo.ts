import type { Broadcast, BroadcastResult } from '../broadcasts/broadcast.ts'
import type { AdminBroadcast, ListBroadcastsInput } from '../broadcasts/schema.ts'
import type { PushCredential } from '../tokens/push-tokens.ts'
import type { Counts } from './counts.ts'
import type { SentMessage } from './message.ts'
import type { AdminFailureItem, FailureCount, MessageView, SentItem } from './schema.ts'

/** `alreadyCancelled`: an earlier call canceled the message. */
export type CancelResult = 'cancelled' | 'alreadyCancelled' | 'completed' | 'notFound'

export type BroadcastSearch = Omit<ListBroadcastsInput, 'cursor'> & { beforeId: string | undefined }

/** A message to start now. */
export type DueMessage = { id: string; toTopic: boolean }

export type MessageRepo = {
  /** Also returns null if a push token is given that did not send it. */
  find(id: string, pushTokenId?: string): Promise<MessageView | null>
  /** Returns messages that this token sent, newest first and older than `beforeId`. */
  listSentBy(pushTokenId: string, beforeId: string | undefined, limit: number): Promise<SentItem[]>
  /**
   * Returns broadcasts and scheduled messages of all push tokens, newest first. `chunkSize`:
   * maximum number of devices in a chunk.
   */
  listBroadcasts(search: BroadcastSearch, chunkSize: number): Promise<AdminBroadcast[]>
  /** Returns a broadcast or scheduled message, or null. `chunkSize`: as for `listBroadcasts`. */
  findBroadcast(id: string, chunkSize: number): Promise<AdminBroadcast | null>
  /** Counts failed devices by reason, most frequent first. */
  countFailures(messageId: string, limit: number): Promise<FailureCount[]>
  /** Returns failures after `afterId`, oldest first. `id` is only for paging. */
  listFailures(
    messageId: string,
    afterId: string | undefined,
    limit: number,
  ): Promise<(AdminFailureItem & { id: string })[]>
  /** Stores a completed message to one user with its audit entry. Removes its gone and suspect devices. */
  recordDirect(message: SentMessage, counts: Counts): Promise<MessageView>
  /**
   * In one transaction, stores the message, which is to be started now or at its `sendAt`, and its audit entry.
   * `maxUnfinished`: of the token, among broadcasts or among scheduled messages to single users.
   */
  createBroadcast(message: Broadcast, maxUnfinished: number): Promise<BroadcastResult>
  /** Returns a message that is due and not in `skip`, or null. If both are due, `scheduledNext` selects one with `sendAt`. */
  findDue(
    skip: string[],
    options: { withTopics: boolean; scheduledNext: boolean },
  ): Promise<DueMessage | null>
  /**
   * Plans the chunks of a message that is due, unless it is canceled. Returns false if another replica is doing so.
   * @throws the reason of `signal` if that aborts; the message then stays due
   */
  start(id: string, chunkSize: number, signal: AbortSignal): Promise<boolean>
  /** Returns the database's time, which decides when scheduled messages are due, because replicas' clocks differ. */
  now(): Promise<Date>
  /** Keeps workers from claiming more of the message; writes an audit entry. */
  cancel(id: string, by: CancelledBy): Promise<CancelResult>
}

/**
 * Caller who cancels a message: its push token, the token's owner (`userId`), or an administrator. `actor`: the
 * administrator; default: the admin secret.
 */
export type CancelledBy = {
  token: PushCredential | undefined
  userId?: string
  actor?: string
  address: string
}
