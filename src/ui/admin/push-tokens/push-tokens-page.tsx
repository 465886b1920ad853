'use client'

import { useMessages } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import { PushTokensCard } from './push-tokens-card.tsx'

export function PushTokensPage() {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.pushTokens.title')}</AdminHeading>
      <PushTokensCard />
    </div>
  )
}
