'use client'

import { useState } from 'react'
import { DeleteButton } from '../components/delete-button.tsx'
import { TextField } from '../components/text-field.tsx'
import { useClients } from '../context/use-clients.ts'

export function DeleteAccount() {
  const { client, uploader } = useClients()
  const [password, setPassword] = useState('')
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <p className="max-w-md text-sm text-ink-soft">
        Deletes your account with all its files, devices and push tokens.
      </p>
      <DeleteButton
        label="Delete account"
        title="Delete your account?"
        description="All your files will be permanently deleted. This cannot be undone."
        confirmLabel="Delete everything"
        onConfirm={async () => {
          await client.account.delete.mutate(password === '' ? {} : { password })
          await uploader.close()
        }}
        onDeleted={() => location.assign('/signin')}
      >
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="Leave it empty if you have never set one."
          className="mt-4"
        />
      </DeleteButton>
    </div>
  )
}
