'use client'

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/text-field.tsx'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { signInErrorMessage } from '../sign-in/sign-in-error-message.ts'
import { signInWithPassword } from '../sign-in/sign-in-with-password.ts'

/** Signs the user in again without leaving the page, so that uploads and forms are kept. */
export function SessionEndedDialog() {
  const { user, setEnded } = useSession()
  const { uploader } = useClients()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [focusedBefore] = useState(() => document.activeElement)
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    // The user may have signed in in another tab meanwhile, perhaps with a provider.
    const checkSession = async () => {
      const response = await fetch('/api/auth/session').catch(() => null)
      const session = response?.ok ? ((await response.json()) as { user?: { id: string } }) : null
      if (session?.user?.id === user.id) resume()
    }
    addEventListener('focus', checkSession)
    return () => removeEventListener('focus', checkSession)
  })

  function resume() {
    setError(undefined)
    setEnded(false)
    uploader.signedIn()
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
    else setError(signInErrorMessage(code))
  }

  return (
    <Dialog
      title="Your session has ended"
      description="Sign in again to continue. Uploads resume where they stopped."
      onEscapeKeyDown={(event) => event.preventDefault()}
      onOpenAutoFocus={() => form.current?.querySelector<HTMLElement>('[type=password]')?.focus()}
      onCloseAutoFocus={() =>
        focusedBefore instanceof HTMLElement && focusedBefore.focus({ preventScroll: true })
      }
    >
      <form ref={form} onSubmit={submit} method="post" className="mt-4 space-y-4">
        <input type="hidden" name="email" autoComplete="username" value={user.email} readOnly />
        <p className="text-sm">
          You were signed in as <strong className="font-medium">{user.email}</strong>
        </p>
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          error={error}
        />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <a href="/signin" target="_blank" rel="noreferrer" className="text-sm text-accent underline">
            Sign in another way
          </a>
          <Button type="submit" variant="primary" busy={busy}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
