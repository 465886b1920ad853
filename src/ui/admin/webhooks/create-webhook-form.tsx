'use client'

import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { errorFacts, errorText } from '../../context/error-text.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { WEBHOOK_EVENTS } from './webhook-events.ts'

type NewWebhook = Parameters<typeof admin.webhooks.create>[0]
type CreateWebhookFormProps = { onCreated(secret: string): void; onCancel(): void }

const EVENTS = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[]

/** URL, events and description of a new webhook. */
export function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { t } = useWords()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const create = useMutation({
    mutationFn: (webhook: NewWebhook) => admin.webhooks.create(webhook),
    onSuccess: ({ secret }) => onCreated(secret),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (create.isPending) return
    const fields = new FormData(event.currentTarget)
    const description = String(fields.get('description')).trim()
    create.mutate({
      url: String(fields.get('url')).trim(),
      events: EVENTS.filter((type) => fields.has(type)),
      ...(description !== '' && { description }),
    })
  }
  const invalid = create.isError ? errorFacts(create.error).fieldErrors : undefined
  const attempt = create.submittedAt
  return (
    <form
      ref={form}
      onSubmit={submit}
      method="post"
      className="space-y-4 border-b border-line px-4 py-4 sm:px-5"
    >
      <TextField
        label={t('admin.webhooks.url')}
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        hint={t('admin.webhooks.urlHint')}
        error={invalid?.url && t('admin.webhooks.urlInvalid')}
        attempt={attempt}
      />
      <TextField
        label={t('admin.webhooks.description')}
        name="description"
        maxLength={200}
        autoComplete="off"
      />
      <fieldset>
        <legend className="text-sm font-medium">{t('admin.webhooks.events')}</legend>
        <div className="grid sm:grid-cols-2">
          {EVENTS.map((type) => (
            <Checkbox key={type} name={type} label={t(WEBHOOK_EVENTS[type])} />
          ))}
        </div>
      </fieldset>
      {invalid?.events && <Notice tone="error">{t('admin.webhooks.eventMissing')}</Notice>}
      {create.isError && !invalid && (
        <Notice tone="error">{errorText(t, create.error, { CONFLICT: 'admin.webhooks.tooMany' })}</Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={create.isPending}>
          {t('admin.webhooks.create')}
        </Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </form>
  )
}
