import { Breakable } from '../../components/breakable.tsx'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { StateBadge } from '../webhooks/webhook-badge.tsx'
import type { HealthCheck } from './health-checks.ts'
import { StatusIcon } from './status-icon.tsx'

const LINK =
  'relative inline-flex min-h-8 items-center text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2'

/** Failed checks and warnings, with what to do about each. */
export function ProblemList({ problems }: { problems: HealthCheck[] }) {
  const { t } = useMessages()
  return (
    <Card title={t('admin.health.attention')}>
      <ul aria-label={t('admin.health.attention')} className="divide-y divide-line">
        {problems.map((problem) => (
          <li key={problem.key} className="flex gap-3 px-4 py-4 text-sm sm:px-5">
            <span className="mt-0.5">
              <StatusIcon status={problem.status} />
            </span>
            <Problem problem={problem} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Problem({ problem }: { problem: HealthCheck }) {
  const { t } = useMessages()
  const { status, name, id, advice, command, detail, receivers, gateways, page } = problem
  return (
    <div className="min-w-0 flex-1 space-y-1">
      <div className="flex flex-wrap items-center gap-x-3">
        <h3 className="text-base font-semibold">
          {/* Sighted users see the icon. */}
          <span className="sr-only">
            {t(status === 'FAIL' ? 'admin.health.fails' : 'admin.health.warns')}:{' '}
          </span>
          {name}
        </h3>
        {id && <CheckId id={id} />}
      </div>
      {receivers ? (
        <Receivers label={name} receivers={receivers} />
      ) : (
        <p className="max-w-2xl wrap-anywhere">{detail}</p>
      )}
      {gateways && (
        // The copy buttons are higher than the lines.
        <ul aria-label={name} className="space-y-5">
          {gateways.map((gateway) => (
            <li key={gateway.key} className="flex flex-wrap items-center gap-x-3">
              {gateway.name}
              {gateway.id && <CheckId id={gateway.id} />}
            </li>
          ))}
        </ul>
      )}
      {advice && (
        <p className="max-w-2xl">
          <span className="font-semibold">{t('admin.health.todo')}</span> {advice}
        </p>
      )}
      {command && <CopyableCode code={command} label={t('admin.health.copyCommand', { command })} />}
      {page && !receivers && (
        <p>
          <AppLink href={page.href} className={LINK}>
            {t(page.label)}
          </AppLink>
        </p>
      )}
    </div>
  )
}

/** Doctor's name of a check, which the documentation explains. */
function CheckId({ id }: { id: string }) {
  const { t } = useMessages()
  return (
    <span className="min-w-0 text-ink-soft">
      <CopyableCode code={id} label={`${t('admin.files.copyId')}: ${id}`} />
    </span>
  )
}

type ReceiversProps = { label: string; receivers: NonNullable<HealthCheck['receivers']> }

/** Receivers that fail, each with a link to its webhook. Doctor names only the first of many. */
function Receivers({ label, receivers: { total, first } }: ReceiversProps) {
  const { t } = useMessages()
  const more = total - first.length
  return (
    <ul aria-label={label}>
      {first.map(({ webhookId, host, ended }) => (
        <li key={webhookId} className="flex flex-wrap items-center gap-x-3">
          <AppLink href={`/admin/webhooks/${webhookId}`} className={LINK}>
            <span className="min-w-0 wrap-anywhere">
              <Breakable>{host}</Breakable>
            </span>
          </AppLink>{' '}
          <StateBadge state={ended ? 'ended' : 'failing'} />
        </li>
      ))}
      {more > 0 && (
        <li>
          <AppLink href="/admin/webhooks" className={LINK}>
            {t('admin.health.moreReceivers', { count: more })}
          </AppLink>
        </li>
      )}
    </ul>
  )
}
