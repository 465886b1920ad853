'use client'

import { getPushMessage, type PushMessage, sendPush } from '@pigeonhole/client/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { DeliveryStatus } from './delivery-status.tsx'
import { deliverySummary, isFinished } from './delivery-summary.ts'

/** How often the progress of a message is fetched until it is completed. */
const PROGRESS_MS = 1000

type SendInput = { token: string; message: PushMessage; idempotencyKey: string }

/** Sends a push to the token's owner or to everyone, and shows the delivery. Needs a push token. */
export function SendPushCard() {
  const { t } = useWords()
  const [watched, setWatched] = useState<{ token: string; id: string }>()
  const [confirming, setConfirming] = useState(false)
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: ({ token, message, idempotencyKey }: SendInput) => sendPush(token, message, idempotencyKey),
    onSuccess: ({ id }, { token, message }) => {
      setConfirming(false)
      setWatched(message.dryRun ? undefined : { token, id })
      // The sender may be one of the recipients.
      void queries.invalidateQueries({ queryKey: ['messages'] })
    },
  })
  const { data: progress, error } = useQuery({
    queryKey: ['delivery', watched?.id],
    queryFn: ({ signal }) => getPushMessage(watched!.token, watched!.id, signal),
    enabled: watched !== undefined,
    refetchInterval: ({ state }) => (isFinished(state.data) ? false : PROGRESS_MS),
  })

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (send.isPending) return
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const dryRun = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('value') === 'dry-run'
    const message: PushMessage = {
      title: text('title'),
      body: text('body'),
      ...(text('category') !== '' && { category: text('category') }),
      ...(fields.get('to') === 'all' && { all: true }),
      ...(dryRun && { dryRun: true }),
    }
    if (message.all && !dryRun && !confirming) return setConfirming(true)
    send.mutate({
      token: text('token'),
      message,
      idempotencyKey: crypto.getRandomValues(new Uint32Array(4)).join('-'),
    })
  }

  const pushErrorText = (failure: unknown) => errorText(t, failure, { UNAUTHORIZED: 'sendPush.tokenUnknown' })
  const shown = watched ? (progress ?? send.data) : send.data
  return (
    <Card title={t('sendPush.title')} description={t('sendPush.text')}>
      <form
        onSubmit={submit}
        onChange={() => setConfirming(false)}
        method="post"
        className="space-y-4 px-4 py-4 sm:px-5"
      >
        <TextField
          label={t('sendPush.token')}
          name="token"
          type="password"
          autoComplete="off"
          required
          placeholder="ph_…"
        />
        <fieldset className="flex flex-wrap gap-x-6 gap-y-1">
          <legend className="mb-1.5 text-sm font-medium">{t('sendPush.to')}</legend>
          <Radio value="owner" label={t('sendPush.toOwner')} checked />
          <Radio value="all" label={t('sendPush.toAll')} />
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
          <TextField
            label={t('sendPush.messageTitle')}
            name="title"
            required
            maxLength={200}
            autoComplete="off"
          />
          <TextField
            label={t('sendPush.category')}
            name="category"
            maxLength={100}
            autoComplete="off"
            placeholder="general"
          />
        </div>
        <TextField
          label={t('sendPush.body')}
          name="body"
          multiline
          required
          maxLength={3000}
          autoComplete="off"
        />
        {send.isError && <Notice tone="error">{pushErrorText(send.error)}</Notice>}
        {confirming && <Notice tone="warning">{t('sendPush.confirmAll')}</Notice>}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" busy={send.isPending}>
            {t('sendPush.send')}
          </Button>
          <Button type="submit" value="dry-run" busy={send.isPending}>
            {t('sendPush.count')}
          </Button>
        </div>
      </form>
      {/* Always rendered: a live region that appears together with its text is not always announced. */}
      <p role="status" className="sr-only">
        {shown && deliverySummary(shown, t)}
      </p>
      {shown && <DeliveryStatus answer={shown} error={error ? pushErrorText(error) : undefined} />}
    </Card>
  )
}

function Radio({ value, label, checked }: { value: string; label: string; checked?: boolean }) {
  return (
    <label className="flex min-h-10 items-center gap-2 text-sm">
      <input type="radio" name="to" value={value} defaultChecked={checked} className="size-4 accent-accent" />
      {label}
    </label>
  )
}
