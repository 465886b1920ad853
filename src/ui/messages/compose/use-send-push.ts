import { getPushMessage, type PushMessage, type PushMessageStatus, sendPush } from '@pigeonhole/client/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useAnnouncer } from '../../context/announcer.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { UNREAD_KEY } from '../../layout/unread-count.tsx'
import { deliverySummary, isFinished } from '../delivery-summary.ts'

/** Interval between progress requests until the message is completed. */
const PROGRESS_MS = 1000

/** A message and the push token that sends it. The token stays in memory only. */
export type Push = { token: string; message: PushMessage }

type TestContent = Parameters<ReturnType<typeof useClients>['client']['messages']['sendTest']['mutate']>[0]

/** Counts recipients, sends messages and tests, and follows the progress of the last message. */
export function useSendPush() {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const queries = useQueryClient()
  const [watched, setWatched] = useState<{ token: string; id: string }>()
  const [latest, setLatest] = useState<PushMessageStatus>()
  const pending = useRef<{ push: string; key: string }>(undefined)

  function show(status: PushMessageStatus): void {
    setLatest(status)
    announce(deliverySummary(status, t))
    // The sender can be one of the recipients.
    for (const queryKey of [['messages'], ['sent'], UNREAD_KEY]) void queries.invalidateQueries({ queryKey })
  }

  /** Returns the idempotency key. A retry after a lost response has the same key, so the message is sent once. */
  function idempotencyKeyOf(push: Push): string {
    const text = JSON.stringify(push)
    if (pending.current?.push !== text)
      pending.current = { push: text, key: crypto.getRandomValues(new Uint32Array(4)).join('-') }
    return pending.current.key
  }

  const send = useMutation({
    mutationFn: (push: Push) => sendPush(push.token, push.message, idempotencyKeyOf(push)),
    onSuccess: (sent, { token }) => {
      pending.current = undefined
      setWatched({ token, id: sent.id })
      show(sent)
    },
  })
  const count = useMutation({
    mutationFn: ({ token, message }: Push) =>
      sendPush(token, { ...message, dryRun: true }, crypto.getRandomValues(new Uint32Array(4)).join('-')),
  })
  const test = useMutation({
    mutationFn: (content: TestContent) => client.messages.sendTest.mutate(content),
    onSuccess: (sent) => {
      setWatched(undefined)
      show(sent)
    },
  })
  const { data: progress, error } = useQuery({
    queryKey: ['delivery', watched?.id],
    queryFn: ({ signal }) => getPushMessage(watched!.token, watched!.id, { signal }),
    enabled: watched !== undefined && !isFinished(latest),
    refetchInterval: ({ state }) => (isFinished(state.data) ? false : PROGRESS_MS),
  })

  const outcome = progress && isFinished(progress) ? deliverySummary(progress, t) : undefined
  useEffect(() => {
    if (outcome !== undefined) announce(outcome)
  }, [outcome, announce])

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
    /** Shows the result of a count. */
    showCount(counted: PushMessageStatus) {
      setWatched(undefined)
      show(counted)
    },
  }
}
