'use client'

import { useWords } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import { FindingsCard } from './findings-card.tsx'
import { StateCard } from './state-card.tsx'

/** How the deployment is: what answers, what waits, and what doctor finds. */
export function HealthPage() {
  const { t } = useWords()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.health.title')}</AdminHeading>
      <StateCard />
      <FindingsCard />
    </div>
  )
}
