'use client'

import type { Outputs } from '@pigeonhole/client'
import { useWords } from '../i18n/messages-provider.tsx'
import { InboxCard } from './inbox-card.tsx'
import { SendPushCard } from './send-push-card.tsx'

export function MessagesPage({ messages }: { messages: Outputs['messages']['list'] }) {
  const { t } = useWords()
  return (
    <div className="mx-auto max-w-3xl space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">{t('messages.title')}</h1>
      <InboxCard initial={messages} />
      <SendPushCard />
    </div>
  )
}
