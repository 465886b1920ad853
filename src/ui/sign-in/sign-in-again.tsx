'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { providerSignInUrl } from './auth-api.ts'
import { type ProviderId, providerNames } from './provider-names.ts'
import { announceSignIn } from './sign-in-channel.ts'

type SignInAgainWithProps = {
  provider: ProviderId
  /** True if a page of this site opened this one, so that the user has already clicked. */
  startsAtOnce: boolean
}

/** Signs in again with a provider, which leads back to `SignedInAgain`. */
export function SignInAgainWith({ provider, startsAtOnce }: SignInAgainWithProps) {
  const { t } = useMessages()
  const [isStarting, setStarting] = useState(startsAtOnce)
  const [failed, setFailed] = useState(false)
  async function start() {
    setFailed(false)
    setStarting(true)
    const url = await providerSignInUrl(provider, '/sign-in-again', { mustAsk: true })
    if (url) location.replace(url)
    else {
      setFailed(true)
      setStarting(false)
    }
  }
  const startOnce = useEffectEvent(() => {
    if (startsAtOnce) void start()
  })
  useEffect(() => startOnce(), [])
  return (
    <div className="space-y-4">
      {failed && <Notice tone="error">{t('signIn.failed')}</Notice>}
      <Button variant="primary" busy={isStarting} className="min-h-11 w-full" onClick={start}>
        {t('signIn.continueWith', { provider: providerNames(t)[provider] })}
      </Button>
    </div>
  )
}

/** Tells the tab that asked for it, where the user continues. */
export function SignedInAgain() {
  const { t } = useMessages()
  useEffect(announceSignIn, [])
  return <Notice tone="info">{t('reauthentication.done')}</Notice>
}
