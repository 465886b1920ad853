'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Ask } from '../parts/ask.tsx'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/text-field.tsx'
import { useEngine, wordsFor } from '../shell/context.tsx'

export function DeleteAccount() {
  const { client, uploader } = useEngine()
  const [asking, setAsking] = useState(false)
  const [password, setPassword] = useState('')
  const remove = useMutation({
    mutationFn: async () => {
      await client.account.delete.mutate(password === '' ? {} : { password })
      await uploader.close()
    },
    onSuccess: () => location.assign('/signin'),
  })
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
      <p className="max-w-md text-sm text-ink-soft">
        Deleting the account removes your files, devices and tokens with it.
      </p>
      <Button look="quiet-danger" onClick={() => setAsking(true)}>
        Delete account
      </Button>
      <Ask
        open={asking}
        onOpenChange={setAsking}
        title="Delete your account?"
        action="Delete everything"
        busy={remove.isPending}
        error={remove.isError ? wordsFor(remove.error) : undefined}
        onConfirm={() => remove.mutate()}
      >
        <p className="mb-4">All your files will be gone for good. This cannot be undone.</p>
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="Leave it empty if you never had one."
        />
      </Ask>
    </div>
  )
}
