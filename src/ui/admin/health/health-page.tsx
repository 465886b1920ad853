'use client'

import type { DeploymentState } from '@pigeonhole/client/admin'
import type { FindingDetails, FindingTexts } from '../../i18n/messages/findings.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AdminHeading } from '../admin-heading.tsx'
import type { FirstResponse } from '../first-page.ts'
import { FindingsCard } from './findings-card.tsx'
import { StateCard } from './state-card.tsx'

type HealthPageProps = {
  texts: FindingTexts
  /** Translations of their details. */
  details: FindingDetails
  /** The state as it came with the HTML. */
  first: FirstResponse<DeploymentState>
}

/** Health of the deployment: its dependencies, its queues and doctor's findings. */
export function HealthPage({ texts, details, first }: HealthPageProps) {
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <AdminHeading>{t('admin.health.title')}</AdminHeading>
      <StateCard first={first} />
      <FindingsCard texts={texts} details={details} />
    </div>
  )
}
