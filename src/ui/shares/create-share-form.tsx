'use client'

import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ChoiceSelect } from '../components/choice-select.tsx'
import { Notice } from '../components/notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useTell } from '../context/announcer.tsx'
import { errorFacts, errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { useRefreshShares } from './use-shares.ts'

const DAYS = ['1', '7', '30', '365'] as const
type Days = (typeof DAYS)[number]

/** Makes a link with a time and, if wanted, a password. `onCreated` gets its id. */
export function CreateShareForm({ fileId, onCreated }: { fileId: string; onCreated(id: string): void }) {
  const { client } = useClients()
  const { t } = useWords()
  const { announce } = useTell()
  const refresh = useRefreshShares(fileId)
  const [days, setDays] = useState<Days>('7')
  const [password, setPassword] = useState('')
  const creation = useMutation({
    mutationFn: async () => {
      const expiresInDays = Number(days)
      const { id } = await client.shares.create.mutate({
        fileId,
        expiresInDays,
        ...(password && { password }),
      })
      await refresh()
      return id
    },
    onSuccess: (id) => {
      setPassword('')
      announce(t('shares.created'))
      onCreated(id)
    },
  })
  const passwordInvalid = creation.isError && errorFacts(creation.error).fieldErrors?.password !== undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!creation.isPending) creation.mutate()
  }

  return (
    <form onSubmit={submit} method="post" className="mt-4 space-y-4">
      <div className="text-sm font-medium">
        <ChoiceSelect<Days>
          label={t('shares.expires')}
          value={days}
          options={DAYS.map((value) => ({ value, label: t('shares.days', { count: Number(value) }) }))}
          onChange={setDays}
        />
      </div>
      <TextField
        label={t('shares.password')}
        name="share-password"
        // Shown, since it is to be told to somebody, and no password of the user's.
        type="text"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={128}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        hint={t('shares.passwordHint')}
        error={passwordInvalid ? t('shares.passwordInvalid') : undefined}
        attempt={creation.submittedAt}
      />
      {creation.isError && !passwordInvalid && (
        <Notice tone="error">{errorText(t, creation.error, { CONFLICT: 'shares.tooMany' })}</Notice>
      )}
      <Button type="submit" variant="primary" busy={creation.isPending} className="w-full sm:w-auto">
        {t('shares.create')}
      </Button>
    </form>
  )
}
