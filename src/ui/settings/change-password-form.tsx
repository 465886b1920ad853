'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { errorMessage } from '../context/error-message.ts'
import { useClients } from '../context/use-clients.ts'
import { useSession } from '../context/use-session.ts'
import { signInWithPassword } from '../sign-in/sign-in-with-password.ts'

export function ChangePasswordForm() {
  const { user } = useSession()
  const { client } = useClients()
  const [changed, setChanged] = useState(false)
  const change = useMutation({
    mutationFn: async ({ current, next }: { current: string; next: string }) => {
      await client.account.changePassword.mutate({
        ...(current !== '' && { currentPassword: current }),
        newPassword: next,
      })
      // The change ended all sessions: start a new one for this page.
      await signInWithPassword(user.email, next)
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
      <input type="hidden" name="email" autoComplete="username" value={user.email} readOnly />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          hint="Leave it empty if you have never set one."
        />
        <TextField
          label="New password"
          name="next"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          maxLength={128}
          hint="12 to 128 characters. Your other sessions will end."
        />
      </div>
      {change.isError && <Notice tone="error">{errorMessage(change.error)}</Notice>}
      {changed && <Notice tone="info">Password changed. All your other sessions have ended.</Notice>}
      <Button type="submit" busy={change.isPending}>
        Change password
      </Button>
    </form>
  )
}
