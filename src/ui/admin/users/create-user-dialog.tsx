import type { AdminUser, NewAdminUser } from '@pigeonhole/client/admin'
import { AlertDialogCancel } from '@radix-ui/react-alert-dialog'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog, DialogButtons } from '../../components/dialog.tsx'
import { EmailField } from '../../components/email-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { NewPasswordField } from '../../components/password-field.tsx'
import { Radio } from '../../components/radio.tsx'
import { FieldErrorsContext, TextField } from '../../components/text-field.tsx'
import { useCreation } from '../../components/use-creation.ts'
import { useFieldErrors } from '../../components/use-field-errors.ts'
import { useRecentSignIn } from '../../context/recent-sign-in.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { MAX_QUOTA_MB, MB } from './quota-units.ts'

type CreateUserDialogProps = {
  /** True if the server can email invitations. */
  canInvite: boolean
  defaultQuotaBytes: number
  onCreated(user: AdminUser, isInvited: boolean): void
  onClose(): void
  /** Called after the dialog has closed, to restore the focus. */
  onClosed(): void
}

/** Creates a user. Users choose a password through an emailed invitation, or the administrator sets one. */
export function CreateUserDialog(props: CreateUserDialogProps) {
  const { canInvite, defaultQuotaBytes, onCreated, onClose, onClosed } = props
  const { t, format } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const [invite, setInvite] = useState(canInvite)
  const fields = useFieldErrors()
  const { ref } = fields.form
  const { create, form, field } = useCreation({
    create: (user: NewAdminUser) => withRecentSignIn(() => admin.users.create(user)),
    onCreated: (user, { invite }) => onCreated(user, invite === true),
    fieldErrors: { CONFLICT: { field: 'email', key: 'admin.users.taken' } },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (form.busy) return
    if (fields.check()) create(userOf(new FormData(event.currentTarget)))
    else fields.focusFault()
  }
  return (
    <Dialog
      title={t('admin.users.new')}
      description={t('admin.users.newText')}
      onClose={() => !form.busy && onClose()}
      onOpenAutoFocus={(event) => {
        event.preventDefault()
        ref.current?.querySelector('input')?.focus()
      }}
      onCloseAutoFocus={(event) => {
        event.preventDefault()
        onClosed()
      }}
    >
      <form {...fields.form} onSubmit={submit} method="post" className="contents">
        <div className="mt-4 space-y-4">
          <FieldErrorsContext value={fields.errors}>
            <EmailField autoComplete="off" {...field('email', 'signUp.emailInvalid')} />
            <TextField
              label={t('signUp.name')}
              name="name"
              maxLength={100}
              autoComplete="off"
              {...field('name', 'signUp.nameInvalid')}
            />
            {canInvite && (
              <fieldset>
                <legend className="text-sm font-medium">{t('admin.users.firstSignIn')}</legend>
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
              </fieldset>
            )}
            {!invite && <NewPasswordField {...field('password', 'signUp.passwordInvalid')} />}
            <TextField
              label={t('admin.users.newQuota')}
              name="quota"
              type="number"
              min={0}
              max={MAX_QUOTA_MB}
              step="any"
              hint={t('admin.users.newQuotaHint', { quota: format.bytes(defaultQuotaBytes) })}
            />
            <Checkbox name="admin" label={t('admin.users.isAdmin')} hint={t('admin.users.isAdminHint')} />
          </FieldErrorsContext>
          {form.error && <Notice tone="error">{form.error}</Notice>}
        </div>
        <DialogButtons>
          <AlertDialogCancel asChild>
            <Button>{t('common.cancel')}</Button>
          </AlertDialogCancel>
          <Button type="submit" variant="primary" busy={form.busy}>
            {t('admin.users.create')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
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
