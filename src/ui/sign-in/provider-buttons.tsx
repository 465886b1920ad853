'use client'

import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Notice } from '../components/notice.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { providerSignInUrl } from './auth-api.ts'

type Provider = { id: string; name: string }

export function ProviderButtons({ providers, next }: { providers: Provider[]; next: string }) {
  const { t } = useMessages()
  const [failed, setFailed] = useState(false)
  if (providers.length === 0) return null
  async function signInWith(id: string) {
    setFailed(false)
    const url = await providerSignInUrl(id, next)
    if (url) location.assign(url)
    else setFailed(true)
  }
  return (
    <div className="space-y-2">
      <p className="flex items-center gap-3 py-2 text-sm text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t('signIn.or')}
      </p>
      {providers.map(({ id, name }) => (
        <Button key={id} className="min-h-11 w-full" onClick={() => signInWith(id)}>
          {t('signIn.continueWith', { provider: name })}
        </Button>
      ))}
      {failed && <Notice tone="error">{t('signIn.failed')}</Notice>}
    </div>
  )
}
