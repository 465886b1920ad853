'use client'

import { useMutation } from '@tanstack/react-query'
import { Checkbox } from '../components/checkbox.tsx'
import { CreateForm } from '../components/create-form.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { API_KEY_SCOPES, type ApiKeyScope } from './api-key-scopes.ts'

type NewKey = { name: string; expiresInDays: number; scopes: ApiKeyScope[] }
type CreateApiKeyFormProps = { onCreated(key: { token: string; scopes: string[] }): void; onCancel(): void }

/** Name, scopes and expiry of a new API key. */
export function CreateApiKeyForm({ onCreated, onCancel }: CreateApiKeyFormProps) {
  const { client } = useClients()
  const { t } = useWords()
  const create = useMutation({
    mutationFn: (key: NewKey) => client.apiKeys.create.mutate(key),
    onSuccess: ({ token }, { scopes }) => onCreated({ token, scopes }),
  })
  function submit(fields: FormData) {
    create.mutate({
      name: String(fields.get('name')).trim(),
      expiresInDays: Number(fields.get('days')),
      scopes: API_KEY_SCOPES.map(({ scope }) => scope).filter((scope) => fields.has(scope)),
    })
  }
  const invalid = create.isError ? errorFacts(create.error).fieldErrors : undefined
  const attempt = create.submittedAt
  return (
    <CreateForm
      submitLabel={t('apiKeys.create')}
      onSubmit={submit}
      onCancel={onCancel}
      busy={create.isPending}
      error={
        create.isError && !invalid ? errorText(t, create.error, { CONFLICT: 'apiKeys.tooMany' }) : undefined
      }
    >
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr]">
        <TextField
          label={t('apiKeys.name')}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          hint={t('apiKeys.nameHint')}
          error={invalid?.name && t('apiKeys.nameInvalid')}
          attempt={attempt}
        />
        <TextField
          label={t('apiKeys.days')}
          name="days"
          type="number"
          required
          min={1}
          max={3650}
          defaultValue={365}
          hint={t('apiKeys.daysHint')}
          error={invalid?.expiresInDays && t('apiKeys.daysHint')}
          attempt={attempt}
        />
      </div>
      <fieldset>
        <legend className="text-sm font-medium">{t('apiKeys.scopes')}</legend>
        {API_KEY_SCOPES.map(({ scope, label }) => (
          <Checkbox key={scope} name={scope} label={t(label)} defaultChecked={scope === 'uploads:write'} />
        ))}
      </fieldset>
      {invalid?.scopes && <Notice tone="error">{t('apiKeys.scopeMissing')}</Notice>}
    </CreateForm>
  )
}
