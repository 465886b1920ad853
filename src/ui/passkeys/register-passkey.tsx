'use client'

import { createClient, type Outputs } from '@pigeonhole/client'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { AnnouncerProvider } from '../context/announcer.tsx'
import { errorText } from '../context/error-text.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { signOut } from '../sign-in/auth-api.ts'
import { emailTags } from '../sign-in/email-tags.tsx'
import { loadPage } from '../sign-in/load-page.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { passkeyErrors } from './passkey-errors.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { usePasskeySupport } from './use-passkey-support.ts'
import { createPasskey } from './webauthn.ts'

type RegisterPasskeyProps = {
  email: string
  /** Page to open afterwards. */
  next: string
  /** False: the account has a passkey, with which the user must sign in. */
  canRegister: boolean
}

/** For administrators who must have a passkey: registers one, or signs in with it. */
export function RegisterPasskey(props: RegisterPasskeyProps) {
  return (
    <AnnouncerProvider>
      <Registration {...props} />
    </AnnouncerProvider>
  )
}

function Registration({ email, next, canRegister }: RegisterPasskeyProps) {
  const { t } = useMessages()
  const isSupported = usePasskeySupport()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [codes, setCodes] = useState<Outputs['passkeys']['register']['recoveryCodes']>()
  const result = useRef<HTMLDivElement>(null)

  useEffect(() => {
    // The focused button has been replaced.
    if (codes) result.current?.focus()
  }, [codes])

  async function register() {
    if (busy) return
    setBusy(true)
    setError(undefined)
    try {
      const { passkeys } = createClient()
      const response = await createPasskey(await passkeys.registrationOptions.mutate())
      const { recoveryCodes } = await passkeys.register.mutate({ response })
      if (recoveryCodes === null) await loadPage(next)
      setCodes(recoveryCodes)
    } catch (failure) {
      setError(errorText(t, failure, passkeyErrors))
    }
    setBusy(false)
  }

  async function leave() {
    if (await signOut()) await loadPage('/signin')
    else setError(t('errors.unreachable'))
  }

  if (codes)
    return (
      <div ref={result} tabIndex={-1} className="space-y-4 outline-none">
        <Notice tone="info">{t('passkeys.added')}</Notice>
        <RecoveryCodes codes={codes} variant="secondary" />
        <Button variant="primary" className="min-h-11 w-full" onClick={() => loadPage(next)}>
          {t('session.continue')}
        </Button>
      </div>
    )
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-soft">
        {t.rich(canRegister ? 'passkeys.registerText' : 'passkeys.useText', emailTags(email))}
      </p>
      {error && <Notice tone="error">{error}</Notice>}
      {!isSupported ? (
        <Notice tone="warning">{t('passkeys.unsupported')}</Notice>
      ) : canRegister ? (
        <Button variant="primary" busy={busy} className="min-h-11 w-full" onClick={register}>
          {t('passkeys.add')}
        </Button>
      ) : (
        <PasskeyButton isPrimary onSignedIn={() => loadPage(next)} />
      )}
      <Button className="min-h-11 w-full" onClick={leave}>
        {t('layout.signOut')}
      </Button>
    </div>
  )
}
