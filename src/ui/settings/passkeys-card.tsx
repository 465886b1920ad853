import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { lazy, Suspense, useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Card } from '../components/card.tsx'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Loading } from '../components/loading.tsx'
import { Notice } from '../components/notice.tsx'
import { Switch } from '../components/switch.tsx'
import { useAnnouncer } from '../context/announcer.tsx'
import { useRecentSignIn } from '../context/recent-sign-in.tsx'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { passkeyErrors } from '../passkeys/passkey-errors.ts'
import { usePasskeySupport } from '../passkeys/use-passkey-support.ts'
import { PasskeyRow } from './passkey-row.tsx'
import { type Passkeys, usePasskeys } from './use-passkeys.ts'

// Loaded when the user adds a passkey or creates codes.
const NewRecoveryCodes = lazy(async () => ({
  default: (await import('./new-recovery-codes.tsx')).NewRecoveryCodes,
}))

type PasskeysCardProps = { initial: Passkeys }

/** The user's passkeys and recovery codes, and whether a sign-in needs them. */
export function PasskeysCard({ initial }: PasskeysCardProps) {
  const { client } = useClients()
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const withRecentSignIn = useRecentSignIn()
  const isSupported = usePasskeySupport()
  const labelId = useId()
  const [codes, setCodes] = useState<string[]>()
  const { data, refresh } = usePasskeys(initial)
  const add = useMutation({
    mutationFn: async () => {
      // Ask for a recent sign-in first: the browser must not create a passkey that the server then rejects.
      const options = await withRecentSignIn(() => client.passkeys.registrationOptions.mutate())
      const { createPasskey } = await import('../passkeys/webauthn.ts')
      const response = await createPasskey(options)
      return client.passkeys.register.mutate({ response })
    },
    onSuccess({ recoveryCodes }) {
      announce(t('passkeys.added'))
      setCodes(recoveryCodes ?? undefined)
    },
    onSettled: refresh,
  })
  const replaceCodes = useMutation({
    mutationFn: () => withRecentSignIn(() => client.passkeys.createRecoveryCodes.mutate()),
    onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes),
    onSettled: refresh,
  })
  const require = useMutation({
    mutationFn: (required: boolean) =>
      withRecentSignIn(() => client.passkeys.setRequired.mutate({ required })),
    onSettled: refresh,
  })
  const addButton = isSupported && (
    <Button busy={add.isPending} onClick={() => add.mutate()}>
      {t('passkeys.add')}
    </Button>
  )
  return (
    <Card title={t('passkeys.title')} description={t('passkeys.text')} actions={addButton}>
      <ErrorNotice error={add.error} expected={passkeyErrors} className="mx-4 mt-4 sm:mx-5" />
      {!isSupported && (
        <Notice tone="warning" silent className="mx-4 mt-4 sm:mx-5">
          {t('passkeys.unsupported')}
        </Notice>
      )}
      {codes && (
        <Suspense fallback={<Loading />}>
          <NewRecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
        </Suspense>
      )}
      {data.items.length === 0 ? (
        <EmptyState compact icon={KeyRound} title={t('passkeys.emptyTitle')}>
          {t('passkeys.emptyText')}
        </EmptyState>
      ) : (
        <>
          <ul aria-label={t('passkeys.title')} className="divide-y divide-line">
            {data.items.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} onChanged={refresh} />
            ))}
          </ul>
          <div className="flex items-center justify-between gap-4 border-t border-line px-4 py-4 sm:px-5">
            <div>
              <p id={labelId} className="font-medium">
                {t('passkeys.required')}
              </p>
              <p className="text-sm text-ink-soft">
                {t(data.required ? 'passkeys.requiredOn' : 'passkeys.requiredOff')}
              </p>
            </div>
            <Switch
              aria-labelledby={labelId}
              checked={data.required}
              disabled={require.isPending}
              onCheckedChange={(required) => require.mutate(required)}
            />
          </div>
          <ErrorNotice error={require.error} className="mx-4 mb-4 sm:mx-5" />
          <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-4 sm:px-5">
            <div className="min-w-0 flex-1 basis-56">
              <p className="font-medium">{t('passkeys.codes')}</p>
              <p className="text-sm text-ink-soft">
                {t('passkeys.codesLeft', { count: data.recoveryCodes })}
              </p>
            </div>
            <Button busy={replaceCodes.isPending} onClick={() => replaceCodes.mutate()}>
              {t('passkeys.newCodes')}
            </Button>
          </div>
          <ErrorNotice error={replaceCodes.error} className="mx-4 mb-4 sm:mx-5" />
        </>
      )}
    </Card>
  )
}
