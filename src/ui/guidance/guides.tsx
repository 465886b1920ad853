import { lazy } from 'react'
import { useSession } from '../context/use-session.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { Guide } from './guide.tsx'
import { registerPhoneSnippet, sendPushSnippet, uploadSnippet } from './snippets.ts'
import { useSiteUrl } from './use-site-url.ts'

const Snippet = lazy(async () => ({ default: (await import('../components/snippet.tsx')).Snippet }))

/** Shows how to register a phone. */
export function RegisterPhoneGuide() {
  const { t } = useMessages()
  const { user } = useSession()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.registerPhone')}>
      <p>{t('guides.registerPhoneText')}</p>
      <Snippet label={t('guides.registerPhoneCode')} code={registerPhoneSnippet(siteUrl, user.email ?? '')} />
    </Guide>
  )
}

/** Shows how to send the first push. */
export function SendPushGuide() {
  const { t } = useMessages()
  const { user } = useSession()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.sendPush')}>
      <p>{t('guides.sendPushText')}</p>
      <Snippet label={t('guides.sendPushCode')} code={sendPushSnippet(siteUrl, user.id)} />
    </Guide>
  )
}

/** Shows how to upload from another app. */
export function UploadGuide() {
  const { t } = useMessages()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.upload')}>
      <p>{t('guides.uploadText')}</p>
      <Snippet label={t('guides.uploadCode')} code={uploadSnippet(siteUrl)} />
    </Guide>
  )
}
