import {
  cancelPushMessage,
  getPushMessage,
  type PushMessage,
  type PushMessageStatus,
  sendPush,
} from '@pigeonhole/client/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { admin } from '../../admin/admin-client.ts'
import { useAnnouncer } from '../../context/announcer.tsx'
import { errorDetails, withCode } from '../../context/error-text.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { UNREAD_KEY } from '../../layout/unread-count.tsx'
import { deliverySummary, isFinished } from '../delivery-summary.ts'
import { confirmSent, idempotencyKeyOf } from './draft-store.ts'
import type { TokenChoice } from './token-field.tsx'

/** Interval between progress requests until the message is completed. */
const PROGRESS_MS = 1000

/** Longest timer of browsers. Longer ones fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Returns when to ask for the results again. A scheduled message has none before its time. */
function nextCheckMs(message: PushMessageStatus | undefined): number | false {
  if (message?.status === 'scheduled' && message.sendAt)
    return Math.min(Math.max(Date.parse(message.sendAt) - Date.now(), PROGRESS_MS), MAX_TIMER_MS)
  return isFinished(message) ? false : PROGRESS_MS
}

/** A message and the push token that sends it. A raw token stays in memory only. */
export type Push = { token: TokenChoice; message: PushMessage }

type TestContent = Parameters<ReturnType<typeof useClients>['client']['messages']['sendTest']['mutate']>[0]

export const loadDeliveryStatus = () => import('../delivery-status.tsx')
export const loadSendResult = () => import('./send-result.tsx')

/**
 * Loads the scripts that show results. Called before a message is sent: a script that fails to load afterwards would
 * replace the page with an error, and the user would send again.
 */
const loadResults = () => Promise.all([loadDeliveryStatus(), loadSendResult()])

/** Counts the devices that would receive the message now. It counts toward the token's sends per minute. */
export function countRecipients({ token, message }: Push, signal?: AbortSignal): Promise<PushMessageStatus> {
  const counted = { ...message, dryRun: true }
  if ('raw' in token) return sendPush(token.raw, counted, undefined, { signal })
  return admin.pushTokens.send(token.id, counted, undefined, signal)
}

/** Counts recipients, sends messages and tests, and follows the progress of the last message. */
export function useSendPush() {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const [watched, setWatched] = useState<{ token: TokenChoice; id: string }>()
  const [latest, setLatest] = useState<PushMessageStatus>()
  const withRecentSignIn = useRecentSignIn()

  function show(status: PushMessageStatus): void {
    setLatest(status)
    announce(deliverySummary(status, t))
    // The sender can be one of the recipients.
    for (const queryKey of [['messages'], ['sent'], UNREAD_KEY]) void queries.invalidateQueries({ queryKey })
  }

  function request({ token, message }: Push, key: string): Promise<PushMessageStatus> {
    if ('raw' in token) return sendPush(token.raw, message, key)
    return withRecentSignIn(() => admin.pushTokens.send(token.id, message, key))
  }

  const send = useMutation({
    mutationFn: async (push: Push) => {
      await loadResults()
      return request(push, idempotencyKeyOf(push.message))
    },
    onSuccess: (sent, { token }) => {
      confirmSent()
      setWatched({ token, id: sent.id })
      show(sent)
    },
  })
  const count = useMutation({
    mutationFn: async (push: Push) => {
      await loadResults()
      return countRecipients(push)
    },
  })
  const test = useMutation({
    mutationFn: async (content: TestContent) => {
      await loadResults()
      return client.messages.sendTest.mutate(content)
    },
    onSuccess: (sent) => {
      setWatched(undefined)
      show(sent)
    },
  })
  const {
    data: progress,
    error,
    refetch,
  } = useQuery({
    queryKey: ['delivery', watched?.id],
    queryFn: ({ signal }): Promise<PushMessageStatus> => {
      const { token, id } = watched!
      return 'raw' in token
        ? getPushMessage(token.raw, id, { signal })
        : client.messages.status.query({ messageId: id }, { signal })
    },
    enabled: watched !== undefined && (!isFinished(latest) || latest?.status === 'scheduled'),
    refetchInterval: ({ state }) => nextCheckMs(state.data ?? latest),
    // A hidden page would miss the only check at the message's time.
    refetchIntervalInBackground: latest?.status === 'scheduled',
  })

  const hasResult = progress && isFinished(progress) && progress.status !== 'scheduled'
  const outcome = hasResult ? deliverySummary(progress, t) : undefined
  useEffect(() => {
    if (outcome !== undefined) announce(outcome)
  }, [outcome, announce])

  /** Returns the result of a call with the push token of the message that was sent last. */
  async function withToken<T>(call: Promise<T>): Promise<T> {
    const isRaw = watched && 'raw' in watched.token
    return call.catch((error: unknown) => {
      // The push token has ended, not the session.
      throw isRaw && errorDetails(error).code === 'UNAUTHORIZED' ? withCode('TOKEN_ENDED') : error
    })
  }

  /** Cancels the message that was sent last. */
  async function cancel(): Promise<void> {
    const { token, id } = watched!
    if ('raw' in token) await withToken(cancelPushMessage(token.raw, id))
    else await client.messages.cancel.mutate({ messageId: id })
  }

  /** Cancels the message that was sent last, so that it is not sent while the user changes it. */
  async function cancelToEdit(): Promise<void> {
    const { data: before } = await withToken(refetch({ throwOnError: true }))
    // The response to an earlier attempt can have been lost.
    if (before?.status !== 'scheduled' && before?.status !== 'cancelled') throw withCode('CONFLICT')
    await cancel()
    void queries.invalidateQueries({ queryKey: ['sent'] })
    const { data: after } = await withToken(refetch({ throwOnError: true }))
    if (after && after.sent + after.failed + after.removed > 0) throw withCode('HAS_BEGUN')
  }

  /** Forgets the results of the last message. */
  function reset(): void {
    for (const mutation of [send, count, test]) mutation.reset()
    setWatched(undefined)
    setLatest(undefined)
  }

  /** Forgets why the last message was rejected. */
  function resetErrors(): void {
    for (const mutation of [send, count, test]) if (mutation.isError) mutation.reset()
  }

  return {
    reset,
    resetErrors,
    send,
    count,
    test,
    /** Progress of the last message. */
    delivery: latest && { ...latest, ...(watched && progress) },
    deliveryError: error,
    cancel,
    cancelToEdit,
    /** Shows what the last message has become. */
    onCancelled() {
      void refetch()
      void queries.invalidateQueries({ queryKey: ['sent'] })
    },
    /** Shows the result of a count. */
    showCount(counted: PushMessageStatus) {
      setWatched(undefined)
      show(counted)
    },
  }
}
