import type { DeploymentState } from '@pigeonhole/client/admin'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { CheckedAt } from './checked-at.tsx'

const GATEWAYS: Record<
  DeploymentState['gateways'][number]['platform'],
  { check: string; label: PlainMessageKey }
> = {
  ios: { check: 'apns', label: 'admin.health.apns' },
  android: { check: 'fcm', label: 'admin.health.fcm' },
  web: { check: 'webPush', label: 'admin.health.webPush' },
}

/** State of the database, the store, the gateways and the queues. */
export function StateCard({ first }: { first: FirstResponse<DeploymentState> }) {
  const { t } = useMessages()
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery({
    queryKey: ADMIN_KEYS.health,
    queryFn: ({ signal }) => admin.health(signal),
    refetchOnWindowFocus: false,
    ...startingWith(first),
  })
  const refresh = (
    <Button busy={isFetching} onClick={() => refetch()}>
      {t('admin.health.refresh')}
    </Button>
  )
  return (
    <Card title={t('admin.health.state')} description={t('admin.health.stateText')} actions={refresh}>
      <ErrorNotice error={error} className="m-4" />
      {/* As high as the loaded list, so that the findings below do not move. */}
      {!data && !error && (
        <div className="min-h-[27.75rem] sm:min-h-[24rem]">
          <Loading />
        </div>
      )}
      {data && <State state={data} checkedAt={new Date(dataUpdatedAt).toISOString()} />}
    </Card>
  )
}

type StateProps = { state: DeploymentState; checkedAt: string }

function State({ state, checkedAt }: StateProps) {
  const { t } = useMessages()
  const { status, checks, gateways, queue, webhooks } = state
  const overall = OVERALL[overallOf(state)]
  return (
    <ul aria-label={t('admin.health.state')} className="divide-y divide-line">
      <Row label={t('admin.health.overall')} hint={<CheckedAt at={checkedAt} />}>
        <Badge tone={overall.tone}>{t(overall.label)}</Badge>
      </Row>
      {status === 'draining' && <Row label={t('admin.health.server')}>{t('admin.health.draining')}</Row>}
      <Row label={t('admin.health.database')}>
        <CheckBadge result={checks.database} />
      </Row>
      <Row label={t('admin.health.store')}>
        <CheckBadge result={checks.objectStore} />
      </Row>
      {gateways.map(({ app, platform, configured, openCircuitBreakers }) => (
        <Row
          key={`${app}/${platform}`}
          label={app === 'default' ? t(GATEWAYS[platform].label) : `${t(GATEWAYS[platform].label)} · ${app}`}
          hint={
            openCircuitBreakers.length > 0 &&
            t('admin.health.circuitBreaker', { upstreams: openCircuitBreakers.join(', ') })
          }
        >
          {!configured ? (
            <Badge>{t('admin.health.notConfigured')}</Badge>
          ) : openCircuitBreakers.length > 0 ? (
            <Badge tone="bad">{t('admin.health.rejecting')}</Badge>
          ) : (
            <CheckBadge result={checks[`${app === 'default' ? '' : `${app}/`}${GATEWAYS[platform].check}`]} />
          )}
        </Row>
      ))}
      <Row label={t('admin.health.queue')}>{t('admin.health.queueCounts', { ...queue })}</Row>
      <Row
        label={
          <AppLink href="/admin/webhooks" className="relative inline-block py-1 text-accent underline">
            {t('admin.webhooks.title')}
          </AppLink>
        }
      >
        {t('admin.health.webhookCounts', { ...webhooks })}
      </Row>
    </ul>
  )
}

const OVERALL = {
  ok: { label: 'admin.health.allOk', tone: 'good' },
  degraded: { label: 'admin.health.degraded', tone: 'warning' },
  failed: { label: 'admin.health.unavailable', tone: 'bad' },
} as const satisfies Record<string, { label: PlainMessageKey; tone: BadgeTone }>

/** Returns the worst state: `failed` if users notice it everywhere, `degraded` if something does not work. */
function overallOf({ status, checks, gateways, webhooks }: DeploymentState): keyof typeof OVERALL {
  if (status !== 'ready') return 'failed'
  const isRejecting = gateways.some(({ openCircuitBreakers }) => openCircuitBreakers.length > 0)
  const isFailing = Object.values(checks).includes('failed') || webhooks.failing > 0
  return isRejecting || isFailing ? 'degraded' : 'ok'
}

function CheckBadge({ result }: { result: 'ok' | 'failed' | undefined }) {
  const { t } = useMessages()
  if (result === 'failed') return <Badge tone="bad">{t('admin.health.failed')}</Badge>
  return <Badge tone="good">{t('admin.health.ok')}</Badge>
}

function Row({ label, hint, children }: { label: ReactNode; hint?: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 text-sm sm:px-5">
      <div className="min-w-0 flex-1 basis-32">
        <p className="font-medium">{label}</p>
        {hint && <div className="max-w-md text-warn">{hint}</div>}
      </div>
      <div className="tabular-nums">{children}</div>
    </li>
  )
}
