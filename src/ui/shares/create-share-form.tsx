import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Disclosure } from '../components/disclosure.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { SelectField } from '../components/select-field.tsx'
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

/** A link that was just created, and whether it was also copied. */
export type NewShare = { id: string; copied: boolean }

type CreateShareFormProps = {
  fileId: string
  /** True if the file has links already, so that copying one is the main action. */
  isAnother: boolean
  onCreated(share: NewShare): void
}

/** Form that creates a link with one click. Its settings, an expiry and a password, are collapsed above the button. */
export function CreateShareForm({ fileId, isAnother, onCreated }: CreateShareFormProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const withRecentSignIn = useRecentSignIn()
  const { announce } = useAnnouncer()
  const refresh = useRefreshShares(fileId)
  const [days, setDays] = useState<Days>('7')
  const [optionsShown, setOptionsShown] = useState(false)
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
    onSuccess: (share) => {
      setOptionsShown(false)
      // The next link must not get this password by accident.
      setPassword('')
      announce(t(share.copied ? 'shares.createdAndCopied' : 'shares.created'))
      onCreated(share)
    },
    onError: (error) => isPasswordInvalid(error) && setOptionsShown(true),
  })
  const passwordInvalid = creation.isError && isPasswordInvalid(creation.error)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!creation.isPending) creation.mutate()
  }

  return (
    <form onSubmit={submit} method="post" className="contents space-y-3 *:first:mt-4">
      {isAnother && <h3 className="text-sm font-semibold">{t('shares.newLink')}</h3>}
      <Disclosure
        title={
          <>
            <span className="min-w-0 flex-1">
              {t('shares.settings')}
              <span className="block font-normal text-ink-soft">
                {t('shares.options', { count: Number(days), password: password ? 'with' : 'none' })}
              </span>
            </span>
            <span className="text-accent underline underline-offset-2 group-open:hidden">
              {t('shares.change')}
            </span>
          </>
        }
        open={optionsShown}
        onToggle={setOptionsShown}
      >
        <SelectField<Days>
          label={t('shares.expires')}
          value={days}
          options={DAYS.map((value) => ({ value, label: t('shares.days', { count: Number(value) }) }))}
          onChange={setDays}
        />
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
      </Disclosure>
      {creation.isError && !passwordInvalid && (
        <ErrorNotice error={creation.error} expected={{ CONFLICT: 'shares.tooMany' }} />
      )}
      {/* Stays in view while the dialog scrolls. */}
      <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 bg-surface px-4 pt-1 pb-4 shadow-[0_-0.75rem_0.75rem_-0.25rem_var(--color-surface)] sm:-bottom-6 sm:-mx-6 sm:-mb-6 sm:px-6 sm:pb-6">
        <Button
          type="submit"
          variant={isAnother ? 'secondary' : 'primary'}
          busy={creation.isPending}
          data-control="create"
          className="max-sm:w-full"
        >
          {t(isAnother ? 'shares.createAnother' : 'shares.create')}
        </Button>
      </div>
    </form>
  )
}

function isPasswordInvalid(error: unknown): boolean {
  return errorDetails(error).fieldErrors?.password !== undefined
}
