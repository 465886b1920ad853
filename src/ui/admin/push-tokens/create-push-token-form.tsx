import type { NewPushToken } from '@pigeonhole/client/admin'
import { Checkbox } from '../../components/checkbox.tsx'
import { CheckboxGroup } from '../../components/checkbox-group.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { NameAndDaysFields } from '../../components/name-and-days-fields.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { findUserId } from './find-user-id.ts'
import { PUSH_TOKEN_SCOPES } from './push-token-scopes.ts'

type CreatePushTokenFormProps = {
  /** User who gets the token. If undefined, the form asks for the user. */
  ownerId: string | undefined
  onCreated(token: string): void
  onCancel(): void
}

export function CreatePushTokenForm({ ownerId, onCreated, onCancel }: CreatePushTokenFormProps) {
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { create, form, field } = useCreation({
    create: async ({ owner, ...fields }: Omit<NewPushToken, 'userId'> & { owner: string }) => {
      const token = { ...fields, userId: ownerId ?? (await findUserId(owner)) }
      return withRecentSignIn(() => admin.pushTokens.create(token))
    },
    onCreated: ({ token }) => onCreated(token),
    ...(ownerId === undefined && {
      fieldErrors: { NOT_FOUND: { field: 'owner', key: 'admin.pushTokens.unknownUser' } },
    }),
  })
  function submit(fields: FormData) {
    create({
      owner: String(fields.get('owner') ?? '').trim(),
      name: String(fields.get('name')).trim(),
      expiresInDays: Number(fields.get('days')),
      scopes: PUSH_TOKEN_SCOPES.filter((scope) => fields.has(scope)),
    })
  }
  return (
    <CreateForm
      title={t('admin.pushTokens.new')}
      submitLabel={t('admin.pushTokens.create')}
      onSubmit={submit}
      onCancel={onCancel}
      {...form}
    >
      {ownerId === undefined && (
        <TextField
          label={t('admin.pushTokens.owner')}
          name="owner"
          required
          autoComplete="off"
          spellCheck={false}
          {...field('owner', 'admin.pushTokens.unknownUser')}
        />
      )}
      <NameAndDaysFields
        fieldOf={field}
        name={{ label: t('admin.pushTokens.name'), hint: t('admin.pushTokens.nameHint') }}
      />
      <CheckboxGroup
        label={t('admin.pushTokens.scopes')}
        {...field('scopes', 'admin.pushTokens.scopeMissing')}
      >
        {PUSH_TOKEN_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            name={scope}
            label={t(`admin.pushTokens.${scope}`)}
            hint={t(`admin.pushTokens.${scope}Hint`)}
            defaultChecked={scope === 'self'}
          />
        ))}
      </CheckboxGroup>
    </CreateForm>
  )
}
