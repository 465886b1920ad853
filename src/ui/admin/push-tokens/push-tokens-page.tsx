'use client'

import { useWords } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import { PushTokensCard } from './push-tokens-card.tsx'

/** The push tokens of all users. */
export function PushTokensPage() {
  const { t } = useWords()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.pushTokens.title')}</AdminHeading>
      <PushTokensCard />
    </div>
  )
}
