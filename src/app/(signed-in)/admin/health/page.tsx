import type { DeploymentState } from '@pigeonhole/client/admin'
import { getHealth } from '../../../../server/api/http/admin/health.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { HealthPage } from '../../../../ui/admin/health/health-page.tsx'
import { FINDING_DETAILS, FINDING_TEXTS } from '../../../../ui/i18n/messages/findings.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle, requestMessages } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

/** Longest time that the page waits for checks. After it, the page loads their results itself. */
const WAIT_MS = 500

export const generateMetadata = pageTitle('admin.health.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/health'))) return <SignInAgain />
  const { locale } = await requestMessages()
  const { doctor } = await getServices()
  const [state, findings] = await Promise.all([
    adminCall<DeploymentState>(getHealth, '/health'),
    doctor.latest(WAIT_MS),
  ])
  return (
    <HealthPage
      texts={FINDING_TEXTS[locale]}
      details={FINDING_DETAILS[locale]}
      first={state}
      findings={findings}
    />
  )
}
