import { Checkbox } from '../components/checkbox.tsx'
import { CheckboxGroup } from '../components/checkbox-group.tsx'
import { CreateForm } from '../components/create-form.tsx'
import { NameAndDaysFields } from '../components/name-and-days-fields.tsx'
import { useCreation } from '../components/use-creation.ts'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { API_KEY_SCOPES, type ApiKeyScope } from './api-key-scopes.ts'

type NewKey = { name: string; expiresInDays: number; scopes: ApiKeyScope[] }
type CreateApiKeyFormProps = { onCreated(key: { token: string; scopes: string[] }): void; onCancel(): void }

export function CreateApiKeyForm({ onCreated, onCancel }: CreateApiKeyFormProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { create, form, field } = useCreation({
    create: (key: NewKey) => withRecentSignIn(() => client.apiKeys.create.mutate(key)),
    onCreated: ({ token }, { scopes }) => onCreated({ token, scopes }),
    errors: { CONFLICT: 'apiKeys.tooMany' },
  })
  function submit(fields: FormData) {
    create({
      name: String(fields.get('name')).trim(),
      expiresInDays: Number(fields.get('days')),
      scopes: API_KEY_SCOPES.map(({ scope }) => scope).filter((scope) => fields.has(scope)),
    })
  }
  return (
    <CreateForm
      title={t('apiKeys.new')}
      submitLabel={t('apiKeys.create')}
      onSubmit={submit}
      onCancel={onCancel}
      {...form}
    >
      <NameAndDaysFields fieldOf={field} name={{ label: t('apiKeys.name'), hint: t('apiKeys.nameHint') }} />
      <CheckboxGroup label={t('apiKeys.scopes')} {...field('scopes', 'apiKeys.scopeMissing')}>
        {API_KEY_SCOPES.map(({ scope, label }) => (
          <Checkbox key={scope} name={scope} label={t(label)} defaultChecked={scope === 'uploads:write'} />
        ))}
      </CheckboxGroup>
    </CreateForm>
  )
}
