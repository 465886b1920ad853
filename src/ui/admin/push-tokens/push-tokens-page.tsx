'use client'

import type { AdminPushToken } from '@pigeonhole/client/admin'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import type { FirstPage } from '../first-page.ts'
import { PushTokensCard } from './push-tokens-card.tsx'

export function PushTokensPage({ first }: { first: FirstPage<AdminPushToken> }) {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.pushTokens.title')}</AdminHeading>
      <PushTokensCard first={first} />
    </div>
  )
}
