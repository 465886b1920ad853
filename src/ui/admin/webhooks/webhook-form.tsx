import type { Webhook } from '@pigeonhole/client/admin'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { CheckboxGroup } from '../../components/checkbox-group.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { EVENT_GROUPS, EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts'

type WebhookFields = Pick<Webhook, 'url' | 'events' | 'description'>

type WebhookFormProps<Saved> = {
  /** Initial values. Without them, the form creates a webhook. */
  webhook?: WebhookFields
  submitLabel: string
  save(fields: WebhookFields): Promise<Saved>
  onSaved(saved: Saved): void
  onCancel(): void
}

/** Form that creates or changes a webhook. */
export function WebhookForm<Saved>({
  webhook,
  submitLabel,
  save,
  onSaved,
  onCancel,
}: WebhookFormProps<Saved>) {
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const [chosen, setChosen] = useState(webhook?.events ?? [])
  const { create, form, field } = useCreation({
    create: (fields: WebhookFields) => withRecentSignIn(() => save(fields)),
    onCreated: onSaved,
    errors: { CONFLICT: 'admin.webhooks.tooMany' },
  })
  function submit(fields: FormData) {
    create({
      url: String(fields.get('url')).trim(),
      events: EVENTS.filter((type) => fields.has(type)),
      description: String(fields.get('description')).trim() || null,
    })
  }
  return (
    <CreateForm
      title={webhook ? undefined : t('admin.webhooks.new')}
      submitLabel={submitLabel}
      onSubmit={submit}
      onCancel={onCancel}
      {...form}
    >
      <TextField
        label={t('admin.webhooks.url')}
        name="url"
        type="url"
        required
        maxLength={2048}
        autoComplete="off"
        defaultValue={webhook?.url}
        hint={t(webhook ? 'admin.webhooks.urlChangeHint' : 'admin.webhooks.urlHint')}
        {...field('url', 'admin.webhooks.urlInvalid')}
      />
      <TextField
        label={t('admin.webhooks.description')}
        name="description"
        maxLength={200}
        autoComplete="off"
        defaultValue={webhook?.description ?? undefined}
      />
      <CheckboxGroup label={t('admin.webhooks.events')} {...field('events', 'admin.webhooks.eventMissing')}>
        <Checkbox
          label={t('admin.webhooks.allEvents')}
          checked={chosen.length === EVENTS.length}
          ref={(box) => {
            if (box) box.indeterminate = chosen.length > 0 && chosen.length < EVENTS.length
          }}
          onChange={({ target }) => setChosen(target.checked ? EVENTS : [])}
        />
        <div className="grid gap-x-6 gap-y-3 border-t border-line pt-3 sm:grid-cols-3">
          {EVENT_GROUPS.map(({ label, events }) => (
            <fieldset key={label}>
              <legend className="text-sm text-ink-soft">{t(label)}</legend>
              {events.map((type) => (
                <Checkbox
                  key={type}
                  name={type}
                  label={t(WEBHOOK_EVENTS[type])}
                  checked={chosen.includes(type)}
                  onChange={({ target }) =>
                    setChosen(target.checked ? [...chosen, type] : chosen.filter((one) => one !== type))
                  }
                />
              ))}
            </fieldset>
          ))}
        </div>
      </CheckboxGroup>
    </CreateForm>
  )
}
