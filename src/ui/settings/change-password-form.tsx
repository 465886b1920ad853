import { createClient } from '@pigeonhole/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Notice } from '../components/notice.tsx'
import { NewPasswordField, PasswordField } from '../components/password-field.tsx'
import { FieldErrorsContext } from '../components/text-field.tsx'
import { useFieldErrors } from '../components/use-field-errors.ts'
import { UsernameField } from '../components/username-field.tsx'
import { errorDetails } from '../context/error-text.ts'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
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

type ChangePasswordFormProps = { hasPassword: boolean; onChanged(): unknown }

/** Changes the password, or sets the first one. Ends the other sessions. */
export function ChangePasswordForm({ hasPassword, onChanged }: ChangePasswordFormProps) {
  const { user } = useSession()
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const fields = useFieldErrors()
  const [done, setDone] = useState<string>()
  const change = useMutation({
    mutationFn: async ({ current, next }: { current: string | undefined; next: string }) => {
      const { token } = await withRecentSignIn(() =>
        client.account.changePassword.mutate({ currentPassword: current, newPassword: next }),
      )
      // The change ended all sessions. The session that it started has no cookie, so this page starts another one.
      await endSession(token)
      const code = await signInWithPassword(user.email, next)
      if (code === 'PasskeyRequired') await (await import('../passkeys/webauthn.ts')).signInWithPasskey()
    },
    onSuccess() {
      setDone(t(hasPassword ? 'account.changed' : 'account.passwordSet'))
      void onChanged()
    },
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (change.isPending) return
    const form = event.currentTarget
    setDone(undefined)
    if (!fields.check()) return fields.focusFault()
    const values = new FormData(form)
    change.mutate(
      {
        current: hasPassword ? String(values.get('current')) : undefined,
        next: String(values.get('next')),
      },
      { onSuccess: () => form.reset(), onError: fields.focusFault },
    )
  }
  const details = change.isError ? errorDetails(change.error) : undefined
  const invalid = details?.fieldErrors
  const isWrong = hasPassword && details?.code === 'FORBIDDEN' && details.reason === undefined
  return (
    <form {...fields.form} onSubmit={submit} method="post" className="space-y-4 px-4 py-4 sm:px-5">
      <UsernameField email={user.email} />
      <div className="grid gap-4 sm:grid-cols-2">
        <FieldErrorsContext value={fields.errors}>
          {hasPassword && (
            <PasswordField
              label={t('account.currentPassword')}
              name="current"
              error={isWrong ? t('account.wrongPassword') : undefined}
              attempt={change.submittedAt}
            />
          )}
          <NewPasswordField
            label={t('account.newPassword')}
            name="next"
            hint={t('account.newPasswordHint')}
            error={invalid?.newPassword && t('signUp.passwordInvalid')}
          />
        </FieldErrorsContext>
      </div>
      {change.isError && !invalid?.newPassword && !isWrong && <ErrorNotice error={change.error} />}
      {done && <Notice tone="info">{done}</Notice>}
      <Button type="submit" busy={change.isPending}>
        {t(hasPassword ? 'account.changePassword' : 'account.setPassword')}
      </Button>
    </form>
  )
}
