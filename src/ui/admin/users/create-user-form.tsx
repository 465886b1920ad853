import type { AdminUser, NewAdminUser } from '@pigeonhole/client/admin'
import { useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { CreateForm } from '../../components/create-form.tsx'
import { EmailField } from '../../components/email-field.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { Radio } from '../../components/radio.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { MAX_QUOTA_MB, MB } from './quota-units.ts'

type CreateUserFormProps = {
  /** True if the server can email invitations. */
  canInvite: boolean
  defaultQuotaBytes: number
  onCreated(user: AdminUser, isInvited: boolean): void
  onCancel(): void
}

/** Form that creates a user. Users choose a password through an emailed invitation, or the administrator sets one. */
export function CreateUserForm({ canInvite, defaultQuotaBytes, onCreated, onCancel }: CreateUserFormProps) {
  const { t, format } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const [invite, setInvite] = useState(canInvite)
  const { create, form, field } = useCreation({
    create: (user: NewAdminUser) => withRecentSignIn(() => admin.users.create(user)),
    onCreated: (user, { invite }) => onCreated(user, invite === true),
    fieldErrors: { CONFLICT: { field: 'email', key: 'admin.users.taken' } },
  })
  return (
    <CreateForm
      title={t('admin.users.new')}
      submitLabel={t('admin.users.create')}
      onSubmit={(fields) => create(userOf(fields))}
      onCancel={onCancel}
      {...form}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <EmailField autoComplete="off" {...field('email', 'signUp.emailInvalid')} />
        <TextField
          label={t('signUp.name')}
          name="name"
          maxLength={100}
          autoComplete="off"
          {...field('name', 'signUp.nameInvalid')}
        />
      </div>
      {canInvite && (
        <fieldset className="max-w-3xl">
          <legend className="text-sm font-medium">{t('admin.users.firstSignIn')}</legend>
          <div className="grid gap-x-4 sm:grid-cols-2">
            <Radio
              name="access"
              label={t('admin.users.invite')}
              hint={t('admin.users.inviteHint')}
              checked={invite}
              onChange={() => setInvite(true)}
            />
            <Radio
              name="access"
              label={t('admin.users.setPassword')}
              hint={t('admin.users.setPasswordHint')}
              checked={!invite}
              onChange={() => setInvite(false)}
            />
          </div>
        </fieldset>
      )}
      {!invite && <NewPasswordField {...field('password', 'signUp.passwordInvalid')} />}
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        <TextField
          label={t('admin.users.newQuota')}
          name="quota"
          type="number"
          min={0}
          max={MAX_QUOTA_MB}
          step="any"
          hint={t('admin.users.newQuotaHint', { quota: format.bytes(defaultQuotaBytes) })}
        />
        {/* Beside the input, not its label. */}
        <div className="sm:pt-6.5">
          <Checkbox name="admin" label={t('admin.users.isAdmin')} hint={t('admin.users.isAdminHint')} />
        </div>
      </div>
    </CreateForm>
  )
}

/** Reads the form. Without a password field, the user gets an invitation. */
function userOf(fields: FormData): NewAdminUser {
  const text = (name: string) => String(fields.get(name) ?? '').trim()
  return {
    email: text('email'),
    ...(text('name') !== '' && { name: text('name') }),
    ...(text('quota') !== '' && { quotaBytes: Math.round(Number(text('quota')) * MB) }),
    ...(fields.has('admin') && { role: 'admin' }),
    ...(fields.has('password') ? { password: String(fields.get('password')) } : { invite: true }),
  }
}
