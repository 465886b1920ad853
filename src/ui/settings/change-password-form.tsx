import { createClient } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Notice } from '../components/notice.tsx'
import { NewPasswordField, PasswordField } from '../components/password-field.tsx'
import { errorDetails } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { signInWithPassword } from '../sign-in/auth-api.ts'

/** Ends the session of a token. */
async function endSession(token: string): Promise<void> {
  const { account } = createClient({ token: async () => token })
  const { items } = await account.sessions.query()
  const session = items.find(({ current }) => current)
  if (session) await account.revokeSession.mutate({ id: session.id })
}

export function ChangePasswordForm() {
  const { user } = useSession()
  const { client } = useClients()
  const { t } = useMessages()
  const [changed, setChanged] = useState(false)
  const change = useMutation({
    mutationFn: async ({ current, next }: { current: string; next: string }) => {
      const { token } = await client.account.changePassword.mutate({
        ...(current !== '' && { currentPassword: current }),
        newPassword: next,
      })
      // The change ended all sessions. The session that it started has no cookie, so this page starts another one.
      await endSession(token)
      const code = await signInWithPassword(user.email, next)
      if (code === 'PasskeyRequired') await (await import('../passkeys/webauthn.ts')).signInWithPasskey()
    },
    onSuccess: () => setChanged(true),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (change.isPending) return
    const form = event.currentTarget
    const fields = new FormData(form)
    setChanged(false)
    change.mutate(
      { current: String(fields.get('current')), next: String(fields.get('next')) },
      { onSuccess: () => form.reset() },
    )
  }
  const invalid = change.isError ? errorDetails(change.error).fieldErrors : undefined
  return (
    <form onSubmit={submit} method="post" className="space-y-4 px-4 py-4 sm:px-5">
      <input type="hidden" name="email" autoComplete="username" value={user.email} readOnly />
      <div className="grid gap-4 sm:grid-cols-2">
        <PasswordField
          label={t('account.currentPassword')}
          name="current"
          required={false}
          hint={t('account.currentPasswordHint')}
        />
        <NewPasswordField
          label={t('account.newPassword')}
          name="next"
          hint={t('account.newPasswordHint')}
          error={invalid?.newPassword && t('signUp.passwordInvalid')}
        />
      </div>
      {change.isError && !invalid?.newPassword && (
        <ErrorNotice
          error={change.error}
          expected={{
            FORBIDDEN: 'account.wrongPassword',
            BAD_REQUEST: 'account.passwordMissing',
          }}
        />
      )}
      {changed && <Notice tone="info">{t('account.changed')}</Notice>}
      <Button type="submit" busy={change.isPending}>
        {t('account.changePassword')}
      </Button>
    </form>
  )
}
