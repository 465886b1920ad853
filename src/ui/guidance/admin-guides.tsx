'use client'

import { Snippet } from '../components/snippet.tsx'
import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { Guide } from './guide.tsx'
import { broadcastSnippet, createPushTokenSnippet, createWebhookSnippet } from './snippets.ts'
import { useSiteUrl } from './use-site-url.ts'

/** How a script makes push tokens, for a list of them that is empty. */
export function PushTokenGuide() {
  const { t } = useWords()
  const { user } = useSession()
  return (
    <Guide title={t('guides.pushToken')}>
      <p>{t('guides.pushTokenText')}</p>
      <Snippet label={t('guides.command')} code={createPushTokenSnippet(useSiteUrl(), user.id)} />
    </Guide>
  )
}

/** How to send to everybody, for a list of broadcasts that is empty. */
export function BroadcastGuide() {
  const { t } = useWords()
  return (
    <Guide title={t('guides.broadcast')}>
      <p>{t('guides.broadcastText')}</p>
      <Snippet label={t('guides.command')} code={broadcastSnippet(useSiteUrl())} />
    </Guide>
  )
}

/** How a script subscribes a URL, for a list of webhooks that is empty. */
export function WebhookGuide() {
  const { t } = useWords()
  return (
    <Guide title={t('guides.webhook')}>
      <p>{t('guides.webhookText')}</p>
      <Snippet label={t('guides.command')} code={createWebhookSnippet(useSiteUrl())} />
    </Guide>
  )
}
