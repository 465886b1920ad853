import type { NewServerKey, ServerKeyScope } from '@pigeonhole/client/admin'
import { Checkbox } from '../../components/checkbox.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { NameAndDaysFields } from '../../components/name-and-days-fields.tsx'
import { Notice } from '../../components/notice.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { SERVER_KEY_SCOPES } from './server-key-scopes.ts'

export type CreatedServerKey = { key: string; scopes: ServerKeyScope[] }

type CreateServerKeyFormProps = { onCreated(created: CreatedServerKey): void; onCancel(): void }

const SCOPES = Object.keys(SERVER_KEY_SCOPES) as ServerKeyScope[]

export function CreateServerKeyForm({ onCreated, onCancel }: CreateServerKeyFormProps) {
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { create, form, field, isInvalid } = useCreation({
    create: (key: NewServerKey) => withRecentSignIn(() => admin.serverKeys.create(key)),
    onCreated: ({ key }, { scopes }) => onCreated({ key, scopes }),
    errors: { CONFLICT: 'admin.serverKeys.tooMany' },
  })
  function submit(fields: FormData) {
    create({
      name: String(fields.get('name')).trim(),
      expiresInDays: Number(fields.get('days')),
      scopes: SCOPES.filter((scope) => fields.has(scope)),
    })
  }
  return (
    <CreateForm submitLabel={t('apiKeys.create')} onSubmit={submit} onCancel={onCancel} {...form}>
      <NameAndDaysFields
        fieldOf={field}
        name={{ label: t('apiKeys.name'), hint: t('admin.serverKeys.nameHint') }}
        daysHint={t('apiKeys.daysHint')}
      />
      <fieldset>
        <legend className="text-sm font-medium">{t('apiKeys.scopes')}</legend>
        <div className="grid sm:grid-cols-2">
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              name={scope}
              label={t(SERVER_KEY_SCOPES[scope])}
              defaultChecked={scope === 'user-tokens:create'}
            />
          ))}
        </div>
      </fieldset>
      {isInvalid('scopes') && <Notice tone="error">{t('apiKeys.scopeMissing')}</Notice>}
    </CreateForm>
  )
}
