'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { useEngine, useSession, wordsFor } from '../shell/context.tsx'
import { passwordSignIn } from '../sign-in/password-sign-in.ts'
import { DeleteAccount } from './delete-account.tsx'

/** One's password, one's other sessions, and the way out. */
export function AccountCard() {
  const { person } = useSession()
  const { client } = useEngine()
  const everywhere = useMutation({
    mutationFn: () => client.account.signOutEverywhere.mutate(),
    onSuccess: () => location.assign('/signin'),
  })
  return (
    <Card title="Account" hint={person.email}>
      <ChangePassword />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
        <p className="max-w-md text-sm text-ink-soft">
          Lost a device, or used somebody else’s? This ends every session, here too.
        </p>
        <Button busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
          Sign out everywhere
        </Button>
        {everywhere.isError && (
          <Notice tone="error" className="w-full">
            {wordsFor(everywhere.error)}
          </Notice>
        )}
      </div>
      <DeleteAccount />
    </Card>
  )
}

function ChangePassword() {
  const { person } = useSession()
  const { client } = useEngine()
  const [changed, setChanged] = useState(false)
  const change = useMutation({
    mutationFn: async ({ current, next }: { current: string; next: string }) => {
      await client.account.changePassword.mutate({
        ...(current !== '' && { currentPassword: current }),
        newPassword: next,
      })
      // All sessions have ended; this page goes on with a new one.
      await passwordSignIn(person.email, next)
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
  return (
    <form onSubmit={submit} method="post" className="space-y-4 px-4 py-4 sm:px-5">
      <input type="hidden" name="email" autoComplete="username" value={person.email} readOnly />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you never had one."
        />
        <TextField
          label="New password"
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={128}
          hint="12 to 128 characters. Other sessions end."
        />
      </div>
      {change.isError && <Notice tone="error">{wordsFor(change.error)}</Notice>}
      {changed && <Notice tone="info">Your password is changed, and all other sessions have ended.</Notice>}
      <Button type="submit" busy={change.isPending}>
        Change password
      </Button>
    </form>
  )
}
