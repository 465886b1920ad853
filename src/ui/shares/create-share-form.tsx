import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { ChoiceSelect } from '../components/choice-select.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { TextField } from '../components/text-field.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { errorDetails } from '../context/error-text.ts'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { copyText } from '../files/copy-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { useRefreshShares } from './use-shares.ts'

const DAYS = ['1', '7', '30', '365'] as const
type Days = (typeof DAYS)[number]

/** Form that creates a link with an expiry and an optional password. `onCreated` receives its ID. */
export function CreateShareForm({ fileId, onCreated }: { fileId: string; onCreated(id: string): void }) {
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { announce } = useAnnouncer()
  const createdText = (copied: boolean) => t(copied ? 'shares.createdAndCopied' : 'shares.created')
  const refresh = useRefreshShares(fileId)
  const [days, setDays] = useState<Days>('7')
  const [password, setPassword] = useState('')
  const creation = useMutation({
    mutationFn: async () => {
      const expiresInDays = Number(days)
      const { id, url } = await withRecentSignIn(() =>
        client.shares.create.mutate({ fileId, expiresInDays, ...(password && { password }) }),
      )
      const copied = await copyText(url)
      await refresh()
      return { id, copied }
    },
    onSuccess: ({ id, copied }) => {
      setPassword('')
      announce(createdText(copied))
      onCreated(id)
    },
  })
  const passwordInvalid = creation.isError && errorDetails(creation.error).fieldErrors?.password !== undefined

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
        // Visible, because users pass it on. It is not their own password.
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
        <ErrorNotice error={creation.error} expected={{ CONFLICT: 'shares.tooMany' }} />
      )}
      <Button
        type="submit"
        variant="primary"
        busy={creation.isPending}
        data-control="create"
        className="w-full sm:w-auto"
      >
        {t('shares.create')}
      </Button>
      {creation.isSuccess && <p className="text-sm text-accent">{createdText(creation.data.copied)}</p>}
    </form>
  )
}
