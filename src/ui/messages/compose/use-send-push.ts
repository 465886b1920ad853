'use client'

import { getPushMessage, type PushMessage, type PushMessageStatus, sendPush } from '@pigeonhole/client/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTell } from '../../context/announcer.tsx'
import { useClients } from '../../context/use-clients.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { deliverySummary, isFinished } from '../delivery-summary.ts'
import { UNREAD_KEY } from '../unread-key.ts'

/** How often the progress of a message is fetched until it is completed. */
const PROGRESS_MS = 1000

/** A message and the push token to send it with. The token is kept in memory only. */
export type Push = { token: string; message: PushMessage }

type TestContent = Parameters<ReturnType<typeof useClients>['client']['messages']['sendTest']['mutate']>[0]

/** Counts recipients, sends, tries out, and follows what was sent last. */
export function useSendPush() {
  const { client } = useClients()
  const { t } = useWords()
  const { announce } = useTell()
  const queries = useQueryClient()
  const [watched, setWatched] = useState<{ token: string; id: string }>()
  const [answer, setAnswer] = useState<PushMessageStatus>()
  const pending = useRef<{ push: string; key: string }>(undefined)

  function show(shown: PushMessageStatus): void {
    setAnswer(shown)
    announce(deliverySummary(shown, t))
    // The sender may be one of the recipients.
    for (const queryKey of [['messages'], ['sent'], UNREAD_KEY]) void queries.invalidateQueries({ queryKey })
  }

  /** The same message again, because no answer came, has the same key: it is sent once. */
  function keyOf(push: Push): string {
    const text = JSON.stringify(push)
    if (pending.current?.push !== text)
      pending.current = { push: text, key: crypto.getRandomValues(new Uint32Array(4)).join('-') }
    return pending.current.key
  }

  const send = useMutation({
    mutationFn: (push: Push) => sendPush(push.token, push.message, keyOf(push)),
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
    enabled: watched !== undefined && !isFinished(answer),
    refetchInterval: ({ state }) => (isFinished(state.data) ? false : PROGRESS_MS),
  })

  const outcome = progress && isFinished(progress) ? deliverySummary(progress, t) : undefined
  useEffect(() => {
    if (outcome !== undefined) announce(outcome)
  }, [outcome, announce])

  /** Nothing has been sent or counted since. */
  function reset(): void {
    for (const mutation of [send, count, test]) mutation.reset()
    setWatched(undefined)
    setAnswer(undefined)
  }

  return {
    reset,
    send,
    count,
    test,
    /** Of the message that was sent last, as it advances. */
    delivery: answer && { ...answer, ...(watched && progress) },
    deliveryError: error,
    /** Shows the answer to a count. */
    showCount(counted: PushMessageStatus) {
      setWatched(undefined)
      show(counted)
    },
  }
}
