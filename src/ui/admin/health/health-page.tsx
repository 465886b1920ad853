'use client'

import type { DeploymentState, Findings } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { useAnnouncer } from '../../context/announcer.tsx'
import type { FindingDetails, FindingTexts } from '../../i18n/messages/findings.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { AdminHeading } from '../admin-heading.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { CheckGroups } from './check-groups.tsx'
import { findingChecks, groupsOf, problemsOf, stateChecks, summaryOf } from './health-checks.ts'
import { OverallState } from './overall-state.tsx'
import { ProblemList } from './problem-list.tsx'
import { QueueCard } from './queue-card.tsx'

type HealthPageProps = {
  texts: FindingTexts
  /** Translations of their details. */
  details: FindingDetails
  /** The state as it came with the HTML. */
  first: FirstResponse<DeploymentState>
  /** Results of the read-only checks that came with the HTML. */
  findings: FirstResponse<Findings>
}

/** Health of the deployment: what needs attention, then all checks and the queues. */
export function HealthPage({ texts, details, first, findings: firstFindings }: HealthPageProps) {
  const { t } = useMessages()
  const { announce } = useAnnouncer()
  const state = useQuery({
    queryKey: ADMIN_KEYS.health,
    queryFn: ({ signal }) => admin.health(signal),
    refetchOnWindowFocus: false,
    ...startingWith(first),
  })
  const quick = useQuery({
    queryKey: ADMIN_KEYS.findings,
    queryFn: ({ signal }) => admin.doctor.quick(signal),
    refetchOnWindowFocus: false,
    ...startingWith(firstFindings),
  })
  const full = useQuery({
    queryKey: ADMIN_KEYS.allFindings,
    queryFn: () => admin.doctor.full(),
    enabled: false,
    retry: false,
  })
  const checkTexts = { t, texts, details }
  const checksOf = (deployment: DeploymentState | undefined, found: Findings | undefined) => [
    ...(deployment ? stateChecks(deployment, checkTexts) : []),
    ...(found ? findingChecks(found.findings, checkTexts) : []),
  ]
  async function checkNow() {
    const [deployment, findings] = await Promise.all([state.refetch(), full.refetch()])
    if (findings.isSuccess) {
      const found = problemsOf(checksOf(deployment.data, findings.data), checkTexts)
      announce(summaryOf(found, true, t))
    }
  }

  // The cache keeps an error while the page is away.
  const fullError = full.errorUpdatedAt > quick.dataUpdatedAt ? full.error : null
  const error = fullError ?? quick.error ?? state.error
  const findings = newest(quick, full)
  const checkedAt = Math.max(quick.dataUpdatedAt, full.dataUpdatedAt)
  const checks = checksOf(state.data, findings)
  const problems = problemsOf(checks, checkTexts)
  return (
    <div className="space-y-4 sm:space-y-6">
      <AdminHeading>{t('admin.health.title')}</AdminHeading>
      <OverallState
        problems={problems}
        isComplete={findings !== undefined}
        isFull={full.data !== undefined}
        hasFailed={error !== null}
        checkedAt={findings && new Date(checkedAt).toISOString()}
      >
        {/* Idle while results from the HTML are refreshed: the server cannot render that state. */}
        <Button busy={full.isFetching} onClick={checkNow}>
          {full.isFetching ? t('admin.health.running') : t('admin.health.checkNow')}
        </Button>
      </OverallState>
      <ErrorNotice error={error} />
      {problems.length > 0 && <ProblemList problems={problems} />}
      <Card title={t('admin.health.all')}>
        {findings && <CheckGroups groups={groupsOf(checks)} />}
        {/* As high as the loaded list, so that the queues below do not move. */}
        {!findings && !error && (
          <div className="min-h-[15.25rem]">
            <Loading />
          </div>
        )}
      </Card>
      {state.data && <QueueCard state={state.data} />}
    </div>
  )
}

type Result = { data: Findings | undefined; dataUpdatedAt: number }

/**
 * Returns the newest result of each check. The read-only checks leave out those that write, so the results of these
 * stay until all checks run again.
 */
function newest(quick: Result, full: Result): Findings | undefined {
  if (!full.data) return quick.data
  if (!quick.data || quick.dataUpdatedAt < full.dataUpdatedAt) return full.data
  const repeated = new Set(quick.data.findings.map(({ check }) => check))
  const others = full.data.findings.filter(({ check }) => !repeated.has(check))
  return { ...quick.data, findings: [...quick.data.findings, ...others] }
}
