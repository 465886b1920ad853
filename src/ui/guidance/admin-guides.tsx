import { Snippet } from '../components/snippet.tsx'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Guide } from './guide.tsx'
import {
  broadcastSnippet,
  createPushTokenSnippet,
  createWebhookSnippet,
  userTokenSnippet,
} from './snippets.ts'
import { useSiteUrl } from './use-site-url.ts'

/** Shows how a script creates push tokens. */
export function PushTokenGuide() {
  const { t } = useMessages()
  const { user } = useSession()
  return (
    <Guide title={t('guides.pushToken')}>
      <p>{t('guides.pushTokenText')}</p>
      <Snippet label={t('guides.command')} code={createPushTokenSnippet(useSiteUrl(), user.id)} />
    </Guide>
  )
}

/** Shows how a backend creates user tokens. */
export function ServerKeyGuide() {
  const { t } = useMessages()
  return (
    <Guide title={t('guides.serverKey')}>
      <p>{t('guides.serverKeyText')}</p>
      <Snippet label={t('guides.command')} code={userTokenSnippet(useSiteUrl())} />
    </Guide>
  )
}

/** Shows how to send a broadcast. */
export function BroadcastGuide() {
  const { t } = useMessages()
  return (
    <Guide title={t('guides.broadcast')}>
      <p>{t('guides.broadcastText')}</p>
      <Snippet label={t('guides.command')} code={broadcastSnippet(useSiteUrl())} />
    </Guide>
  )
}

/** Shows how a script creates a webhook. */
export function WebhookGuide() {
  const { t } = useMessages()
  return (
    <Guide title={t('guides.webhook')}>
      <p>{t('guides.webhookText')}</p>
      <Snippet label={t('guides.command')} code={createWebhookSnippet(useSiteUrl())} />
    </Guide>
  )
}
