'use client'

import type { WebhookEvent } from '@pigeonhole/client/admin'
import { useMutation } from '@tanstack/react-query'
import { Checkbox } from '../../components/checkbox.tsx'
import { CreateForm } from '../../components/create-form.tsx'
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
  const create = useMutation({
    mutationFn: (webhook: NewWebhook) => admin.webhooks.create(webhook),
    onSuccess: ({ secret }) => onCreated(secret),
  })
  function submit(fields: FormData) {
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
    <CreateForm
      submitLabel={t('admin.webhooks.create')}
      onSubmit={submit}
      onCancel={onCancel}
      busy={create.isPending}
      error={
        create.isError && !invalid
          ? errorText(t, create.error, { CONFLICT: 'admin.webhooks.tooMany' })
          : undefined
      }
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
    </CreateForm>
  )
}
