'use client'

import { lazy } from 'react'
import { useSession } from '../context/use-session.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { Guide } from './guide.tsx'
import { registerPhoneSnippet, sendPushSnippet, uploadSnippet } from './snippets.ts'
import { useSiteUrl } from './use-site-url.ts'

const Snippet = lazy(async () => ({ default: (await import('../components/snippet.tsx')).Snippet }))

/** How to register a phone, for a list of devices that is empty. */
export function RegisterPhoneGuide() {
  const { t } = useWords()
  const { user } = useSession()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.registerPhone')}>
      <p>{t('guides.registerPhoneText')}</p>
      <Snippet label={t('guides.registerPhoneCode')} code={registerPhoneSnippet(siteUrl, user.email ?? '')} />
    </Guide>
  )
}

/** How to send the first push, for an inbox that is empty. */
export function SendPushGuide() {
  const { t } = useWords()
  const { user } = useSession()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.sendPush')}>
      <p>{t('guides.sendPushText')}</p>
      <Snippet label={t('guides.sendPushCode')} code={sendPushSnippet(siteUrl, user.id)} />
    </Guide>
  )
}

/** How to upload from an app of one's own, for a list of files that is empty. */
export function UploadGuide() {
  const { t } = useWords()
  const siteUrl = useSiteUrl()
  return (
    <Guide title={t('guides.upload')}>
      <p>{t('guides.uploadText')}</p>
      <Snippet label={t('guides.uploadCode')} code={uploadSnippet(siteUrl)} />
    </Guide>
  )
}
