import { Snippet } from '../components/snippet.tsx'
import { type User, useSession } from '../context/use-session.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import {
  broadcastSnippet,
  createPushTokenSnippet,
  createWebhookSnippet,
  registerPhoneSnippet,
  sendPushSnippet,
  uploadSnippet,
  userTokenSnippet,
} from './snippets.ts'
import { useSiteUrl } from './use-site-url.ts'

const CODES = {
  registerPhone: (siteUrl, { email }) => registerPhoneSnippet(siteUrl, email),
  sendPush: (siteUrl, { id }) => sendPushSnippet(siteUrl, id),
  upload: uploadSnippet,
  pushToken: (siteUrl, { id }) => createPushTokenSnippet(siteUrl, id),
  serverKey: (siteUrl) => userTokenSnippet(siteUrl),
  broadcast: broadcastSnippet,
  webhook: createWebhookSnippet,
} satisfies Record<string, (siteUrl: string, user: User) => string>

export type GuideTopic = keyof typeof CODES

/** Labels of the topics that have more than one command. */
const LABELS: Partial<Record<GuideTopic, PlainMessageKey>> = {
  registerPhone: 'guides.registerPhoneCode',
  sendPush: 'guides.sendPushCode',
  upload: 'guides.uploadCode',
}

/** The text and code of a guide. */
export function GuideContent({ topic }: { topic: GuideTopic }) {
  const { t } = useMessages()
  const { user } = useSession()
  const siteUrl = useSiteUrl()
  return (
    <>
      <p>{t(`guides.${topic}Text`)}</p>
      <Snippet label={t(LABELS[topic] ?? 'guides.command')} code={CODES[topic](siteUrl, user)} />
    </>
  )
}
