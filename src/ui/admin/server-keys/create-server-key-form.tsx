import type { NewServerKey, ServerKeyScope } from '@pigeonhole/client/admin'
import { Checkbox } from '../../components/checkbox.tsx'
import { CheckboxGroup } from '../../components/checkbox-group.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { NameAndDaysFields } from '../../components/name-and-days-fields.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { SCOPE_GROUPS, SERVER_KEY_SCOPES } from './server-key-scopes.ts'

export type CreatedServerKey = { key: string; scopes: ServerKeyScope[] }

type CreateServerKeyFormProps = { onCreated(created: CreatedServerKey): void; onCancel(): void }

const SCOPES = Object.keys(SERVER_KEY_SCOPES) as ServerKeyScope[]

export function CreateServerKeyForm({ onCreated, onCancel }: CreateServerKeyFormProps) {
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { create, form, field } = useCreation({
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
    <CreateForm
      title={t('admin.serverKeys.new')}
      submitLabel={t('apiKeys.create')}
      onSubmit={submit}
      onCancel={onCancel}
      {...form}
    >
      <NameAndDaysFields
        fieldOf={field}
        name={{ label: t('apiKeys.name'), hint: t('admin.serverKeys.nameHint') }}
      />
      <CheckboxGroup label={t('apiKeys.scopes')} {...field('scopes', 'apiKeys.scopeMissing')}>
        <div className="grid gap-x-6 gap-y-3 py-2 lg:grid-cols-3">
          {SCOPE_GROUPS.map(({ label, scopes }) => (
            <fieldset key={label}>
              <legend className="text-sm text-ink-soft">{t(label)}</legend>
              {scopes.map(({ scope, hint }) => (
                <Checkbox
                  key={scope}
                  name={scope}
                  label={t(SERVER_KEY_SCOPES[scope])}
                  hint={t(hint)}
                  defaultChecked={scope === 'user-tokens:create'}
                />
              ))}
            </fieldset>
          ))}
        </div>
      </CheckboxGroup>
    </CreateForm>
  )
}
