'use client'

import type { FindingTexts } from '../../i18n/messages/findings.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import { FindingsCard } from './findings-card.tsx'
import { StateCard } from './state-card.tsx'

/** Health of the deployment: its dependencies, its queues and doctor's findings. */
export function HealthPage({ texts }: { texts: FindingTexts }) {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.health.title')}</AdminHeading>
      <StateCard />
      <FindingsCard texts={texts} />
    </div>
  )
}
