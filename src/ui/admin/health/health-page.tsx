'use client'

import type { DeploymentState, Findings } from '@pigeonhole/client/admin'
import { useMutation, useQuery } from '@tanstack/react-query'
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
import { findingChecks, problemsOf, stateChecks, summaryOf, withoutRepeats } from './health-checks.ts'
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

/** Health of the deployment: what needs attention, then the passed checks and the queues. */
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
  const full = useMutation({
    mutationFn: async () => ({ ...(await admin.doctor.full()), at: Date.now() }),
    onSuccess: ({ findings }) => announceResult(state.data, findings),
  })
  const checkTexts = { t, texts, details }
  const checksOf = (deployment: DeploymentState | undefined, findings: Findings['findings']) => [
    ...(deployment ? stateChecks(deployment, checkTexts) : []),
    ...findingChecks(findings, checkTexts),
  ]
  const announceResult = (deployment: DeploymentState | undefined, findings: Findings['findings']) =>
    announce(summaryOf(problemsOf(checksOf(deployment, findings)), t))
  async function checkAgain() {
    const [deployment, findings] = await Promise.all([state.refetch(), quick.refetch()])
    if (findings.data) announceResult(deployment.data, newest(findings.data, full.data))
  }

  const isBusy = full.isPending || quick.isFetching || state.isFetching
  const error = full.error ?? quick.error ?? state.error
  const findings = (quick.data || full.data) && newest(quick.data, full.data, quick.dataUpdatedAt)
  const checks = checksOf(state.data, findings ?? [])
  const problems = problemsOf(checks)
  const checkedAt = Math.max(quick.dataUpdatedAt, full.data?.at ?? 0)
  return (
    <div className="space-y-4 sm:space-y-6">
      <AdminHeading>{t('admin.health.title')}</AdminHeading>
      <OverallState
        problems={problems}
        isComplete={findings !== undefined}
        hasFailed={error !== null}
        checkedAt={findings && new Date(checkedAt).toISOString()}
      >
        <Button busy={isBusy} onClick={checkAgain}>
          {isBusy && !full.isPending ? t('admin.health.running') : t('admin.health.again')}
        </Button>
      </OverallState>
      <ErrorNotice error={error} />
      {problems.length > 0 && <ProblemList problems={problems} />}
      <Card
        title={t('admin.health.checks')}
        description={t('admin.health.fullText')}
        actions={
          <Button busy={full.isPending} onClick={() => full.mutate()}>
            {full.isPending ? t('admin.health.running') : t('admin.health.full')}
          </Button>
        }
      >
        {findings && <CheckGroups checks={withoutRepeats(checks)} />}
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

type FullFindings = Findings & { at: number }

/**
 * Returns the newest result of each check. The read-only checks leave out those that write, so the results of these
 * stay until all checks run again.
 */
function newest(
  quick: Findings | undefined,
  full: FullFindings | undefined,
  quickAt = Number.POSITIVE_INFINITY,
) {
  if (!full) return quick?.findings ?? []
  if (!quick || quickAt < full.at) return full.findings
  const repeated = new Set(quick.findings.map(({ check }) => check))
  return [...quick.findings, ...full.findings.filter(({ check }) => !repeated.has(check))]
}
