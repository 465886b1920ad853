'use client'

import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/text-field.tsx'
import { AskFirst } from '../shell/ask-first.tsx'
import { useEngine } from '../shell/context.tsx'

export function DeleteAccount() {
  const { client, uploader } = useEngine()
  const [password, setPassword] = useState('')
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <p className="max-w-md text-sm text-ink-soft">
        Deleting the account removes your files, devices and tokens with it.
      </p>
      <AskFirst
        button={(ask) => (
          <Button look="plain-danger" onClick={ask}>
            Delete account
          </Button>
        )}
        title="Delete your account?"
        text="All your files will be gone for good. This cannot be undone."
        action="Delete everything"
        run={async () => {
          await client.account.delete.mutate(password === '' ? {} : { password })
          await uploader.close()
        }}
        onDone={() => location.assign('/signin')}
      >
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="Leave it empty if you never had one."
          className="mt-4"
        />
      </AskFirst>
    </div>
  )
}
