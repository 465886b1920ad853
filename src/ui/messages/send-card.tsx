'use client'

import { type PushMessage, pushMessage, sendPush } from '@pigeonhole/client/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { Delivery, deliveryWords } from './delivery.tsx'

/** While a broadcast runs. */
const LOOK_MS = 1000

type Sending = { token: string; message: PushMessage; key: string }

/** For holders of a push token: send, to the token's owner or to everybody, and watch it arrive. */
export function SendCard() {
  const [watched, setWatched] = useState<{ token: string; id: string }>()
  const [sure, setSure] = useState(false)
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: ({ token, message, key }: Sending) => sendPush(token, message, key),
    onSuccess: ({ id }, { token, message }) => {
      setSure(false)
      setWatched(message.dryRun ? undefined : { token, id })
      // The sender may well be among those it was sent to.
      void queries.invalidateQueries({ queryKey: ['messages'] })
    },
  })
  const { data: progress, error } = useQuery({
    queryKey: ['delivery', watched?.id],
    queryFn: ({ signal }) => pushMessage(watched!.token, watched!.id, signal),
    enabled: watched !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'completed' ? false : LOOK_MS),
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (send.isPending) return
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const count = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'count'
    const message: PushMessage = {
      title: text('title'),
      body: text('body'),
      ...(text('category') !== '' && { category: text('category') }),
      ...(fields.get('to') === 'all' && { all: true }),
      ...(count && { dryRun: true }),
    }
    if (message.all && !count && !sure) return setSure(true)
    send.mutate({ token: text('token'), message, key: crypto.getRandomValues(new Uint32Array(4)).join('-') })
  }

  const shown = watched ? (progress ?? send.data) : send.data
  const counted = send.data && send.variables?.message.dryRun
  return (
    <Card title="Send a push" hint="For holders of a push token; an administrator makes one.">
      <form onSubmit={submit} onChange={() => setSure(false)} className="space-y-4 px-4 py-4 sm:px-5">
        <TextField
          label="Push token"
          name="token"
          type="password"
          autoComplete="off"
          required
          placeholder="ph_…"
        />
        <fieldset className="flex flex-wrap gap-x-6 gap-y-1">
          <legend className="mb-1.5 text-sm font-medium">To</legend>
          <Choice value="owner" label="The token’s owner" checked />
          <Choice value="all" label="Everybody" />
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
          <TextField label="Title" name="title" required maxLength={200} autoComplete="off" />
          <TextField
            label="Category (optional)"
            name="category"
            maxLength={100}
            autoComplete="off"
            placeholder="general"
          />
        </div>
        <TextField label="Text" name="body" multiline required maxLength={3000} autoComplete="off" />
        {send.isError && <Notice tone="error">{send.error.message}</Notice>}
        {sure && (
          <Notice tone="warning">This goes to everybody’s phones. Press “Send” again if you are sure.</Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" busy={send.isPending}>
            Send
          </Button>
          <Button type="submit" value="count" busy={send.isPending}>
            Count who would get it
          </Button>
        </div>
      </form>
      {/* There from the beginning: what appears together with its text is not always read out. */}
      <p role="status" className="sr-only">
        {shown && deliveryWords(shown, counted === true)}
      </p>
      {shown && <Delivery answer={shown} counted={counted === true} error={error?.message} />}
    </Card>
  )
}

function Choice({ value, label, checked }: { value: string; label: string; checked?: boolean }) {
  return (
    <label className="flex min-h-10 items-center gap-2 text-sm">
      <input type="radio" name="to" value={value} defaultChecked={checked} className="size-4 accent-accent" />
      {label}
    </label>
  )
}
