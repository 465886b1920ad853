'use client'

import type { Outputs } from '@pigeonhole/client'
import { InboxCard } from './inbox-card.tsx'
import { SendPushCard } from './send-push-card.tsx'

export function MessagesPage({ messages }: { messages: Outputs['messages']['list'] }) {
  return (
    <div className="mx-auto max-w-3xl space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Messages</h1>
      <InboxCard initial={messages} />
      <SendPushCard />
    </div>
  )
}
