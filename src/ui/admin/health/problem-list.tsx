import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Breakable } from '../../components/breakable.tsx'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import type { HealthCheck } from './health-checks.ts'

const LINK =
  'relative inline-flex min-h-8 items-center text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2'

/** Failed checks and warnings, with what to do about each. */
export function ProblemList({ problems }: { problems: HealthCheck[] }) {
  const { t } = useMessages()
  return (
    <Card title={t('admin.health.attention')}>
      <ul aria-label={t('admin.health.attention')} className="divide-y divide-line">
        {problems.map(({ key, group, status, name, id, advice, command, detail, receivers }) => (
          <li key={key} className="flex gap-3 px-4 py-4 text-sm sm:px-5">
            {status === 'FAIL' ? (
              <CircleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-danger" />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-warn" />
            )}
            <div className="min-w-0 flex-1 space-y-1">
              <h3 title={id} className="text-base font-semibold">
                {/* Sighted users see the icon. */}
                <span className="sr-only">
                  {t(status === 'FAIL' ? 'admin.health.fails' : 'admin.health.warns')}:{' '}
                </span>
                {name}
              </h3>
              {receivers ? (
                <Receivers label={name} receivers={receivers} />
              ) : (
                <p className="max-w-2xl wrap-anywhere">{detail}</p>
              )}
              {advice && (
                <p className="max-w-2xl">
                  <span className="font-semibold">{t('admin.health.todo')}</span> {advice}
                </p>
              )}
              {command && <CopyableCode code={command} label={t('admin.health.copyCommand', { command })} />}
              {group === 'webhooks' && !receivers && (
                <p>
                  <AppLink href="/admin/webhooks" className={LINK}>
                    {t('admin.health.openWebhooks')}
                  </AppLink>
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
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
        <li key={webhookId}>
          <AppLink href={`/admin/webhooks/${webhookId}`} className={LINK}>
            <span className="min-w-0 wrap-anywhere">
              <Breakable>{host}</Breakable>
            </span>
          </AppLink>{' '}
          – {ended ? t('admin.webhooks.endedBy') : t('admin.webhooks.failing')}
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
