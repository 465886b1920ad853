import { Checkbox } from '../../components/checkbox.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { EVENT_GROUPS, EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts'

type NewWebhook = Parameters<typeof admin.webhooks.create>[0]
type CreateWebhookFormProps = { onCreated(secret: string): void; onCancel(): void }

export function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { create, form, field, isInvalid } = useCreation({
    create: (webhook: NewWebhook) => withRecentSignIn(() => admin.webhooks.create(webhook)),
    onCreated: ({ secret }) => onCreated(secret),
    errors: { CONFLICT: 'admin.webhooks.tooMany' },
  })
  function submit(fields: FormData) {
    const description = String(fields.get('description')).trim()
    create({
      url: String(fields.get('url')).trim(),
      events: EVENTS.filter((type) => fields.has(type)),
      ...(description !== '' && { description }),
    })
  }
  return (
    <CreateForm submitLabel={t('admin.webhooks.create')} onSubmit={submit} onCancel={onCancel} {...form}>
      <TextField
        label={t('admin.webhooks.url')}
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        hint={t('admin.webhooks.urlHint')}
        {...field('url', 'admin.webhooks.urlInvalid')}
      />
      <TextField
        label={t('admin.webhooks.description')}
        name="description"
        maxLength={200}
        autoComplete="off"
      />
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t('admin.webhooks.events')}</legend>
        <div className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
          {EVENT_GROUPS.map(({ label, events }) => (
            <fieldset key={label}>
              <legend className="text-sm text-ink-soft">{t(label)}</legend>
              {events.map((type) => (
                <Checkbox key={type} name={type} label={t(WEBHOOK_EVENTS[type])} />
              ))}
            </fieldset>
          ))}
        </div>
      </fieldset>
      {isInvalid('events') && <Notice tone="error">{t('admin.webhooks.eventMissing')}</Notice>}
    </CreateForm>
  )
}
