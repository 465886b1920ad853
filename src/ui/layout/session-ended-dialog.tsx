import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { UsernameField } from '../components/username-field.tsx'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { PasskeyButton } from '../passkeys/passkey-button.tsx'
import { sessionUserId, signInWithPassword } from '../sign-in/auth-api.ts'
import { signInErrorKey } from '../sign-in/sign-in-error-key.ts'

/** Signs the user in again without leaving the page, so that uploads and forms are kept. */
export function SessionEndedDialog() {
  const { user, setEnded } = useSession()
  const { uploader } = useClients()
  const queries = useQueryClient()
  const router = useRouter()
  const { t } = useMessages()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [attempt, setAttempt] = useState(0)
  const [focusedBefore] = useState(() => document.activeElement)
  const form = useRef<HTMLFormElement>(null)

  const checkSession = async () => {
    if ((await sessionUserId()) === user.id) resume()
  }

  useEffect(() => {
    // The user can also sign in with another tab, for example through a provider.
    addEventListener('focus', checkSession)
    return () => removeEventListener('focus', checkSession)
  })

  function resume() {
    setError(undefined)
    setEnded(false)
    uploader.signedIn()
    // If the server found no session, it did not render the page, so request it again.
    router.refresh()
    void queries.invalidateQueries()
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const password = String(new FormData(event.currentTarget).get('password'))
    setBusy(true)
    const code = await signInWithPassword(user.email, password)
    setBusy(false)
    if (code === null) resume()
    else {
      setError(t(signInErrorKey(code)))
      setAttempt(attempt + 1)
    }
  }

  return (
    <Dialog
      title={t('session.endedTitle')}
      description={t('session.endedText')}
      onEscapeKeyDown={(event) => event.preventDefault()}
      onOpenAutoFocus={() => form.current?.querySelector<HTMLElement>('[type=password]')?.focus()}
      onCloseAutoFocus={() =>
        focusedBefore instanceof HTMLElement && focusedBefore.focus({ preventScroll: true })
      }
    >
      <form ref={form} onSubmit={submit} method="post" className="mt-4 space-y-4">
        <UsernameField email={user.email} />
        <p className="text-sm">
          {t.rich('session.signedInAs', {
            address: user.email,
            email: (text) => <strong className="font-medium">{text}</strong>,
          })}
        </p>
        <PasswordField error={error} attempt={attempt} />
        <Button type="submit" variant="primary" busy={busy} className="min-h-11 w-full">
          {t('signIn.submit')}
        </Button>
        <PasskeyButton onSignedIn={checkSession} />
        <p className="text-center text-sm">
          <a
            href="/signin"
            target="_blank"
            rel="noreferrer"
            className="inline-flex min-h-11 items-center text-accent underline underline-offset-2"
          >
            {t('session.otherWay')}
          </a>
        </p>
      </form>
    </Dialog>
  )
}
