'use client'

import * as Dialog from '@radix-ui/react-alert-dialog'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { dialogClass } from '../parts/dialog-class.ts'
import { TextField } from '../parts/text-field.tsx'
import { passwordSignIn } from '../sign-in/password-sign-in.ts'
import { wordsForCode } from '../sign-in/words.ts'
import { useEngine, useSession } from './context.tsx'

/** Signing in again, here, lets everything go on. */
export function SessionDialog() {
  const { person, setEnded } = useSession()
  const { uploader } = useEngine()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [before] = useState(() => document.activeElement)
  const form = useRef<HTMLFormElement>(null)

  useEffect(() => {
    // Signed in meanwhile in another tab, maybe with a provider.
    const look = async () => {
      const answer = await fetch('/api/auth/session').catch(() => null)
      const session = answer?.ok ? ((await answer.json()) as { user?: { id: string } }) : null
      if (session?.user?.id === person.id) goOn()
    }
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  })

  function goOn() {
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
    const code = await passwordSignIn(person.email, password)
    setBusy(false)
    if (code === null) goOn()
    else setError(wordsForCode(code))
  }

  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          className={dialogClass}
          onEscapeKeyDown={(event) => event.preventDefault()}
          onOpenAutoFocus={() => form.current?.querySelector<HTMLElement>('[type=password]')?.focus()}
          onCloseAutoFocus={() => before instanceof HTMLElement && before.focus({ preventScroll: true })}
        >
          <Dialog.Title className="text-lg font-semibold">Your session has ended</Dialog.Title>
          <Dialog.Description className="mt-2 mb-4 text-sm text-ink-soft">
            Sign in again and everything goes on where it was; uploads wait for you.
          </Dialog.Description>
          <form ref={form} onSubmit={submit} method="post" className="space-y-4">
            <input type="hidden" name="email" autoComplete="username" value={person.email} readOnly />
            <p className="text-sm">
              Signed in as <strong className="font-medium">{person.email}</strong>
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
              <Button type="submit" look="primary" busy={busy}>
                Go on
              </Button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
