import { CircleAlert, TriangleAlert } from 'lucide-react'
import { Breakable } from '../../components/breakable.tsx'
import { Card } from '../../components/card.tsx'
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
        {problems.map(({ key, group, status, name, id, advice, detail, receivers }) => (
          <li key={key} className="flex gap-3 px-4 py-4 text-sm sm:px-5">
            {status === 'FAIL' ? (
              <CircleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-danger" />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-0.5 size-5 shrink-0 text-warn" />
            )}
            <div className="min-w-0 flex-1 space-y-1">
              <h3 className="text-base font-semibold">
                {/* Sighted users see the icon. */}
                <span className="sr-only">
                  {t(status === 'FAIL' ? 'admin.health.fails' : 'admin.health.warns')}:{' '}
                </span>
                {name}
              </h3>
              {receivers ? (
                <ul aria-label={name}>
                  {receivers.map(({ id, host, hasEnded }) => (
                    <li key={id}>
                      <AppLink href={`/admin/webhooks/${id}`} className={LINK}>
                        <span className="min-w-0 wrap-anywhere">
                          <Breakable>{host}</Breakable>
                        </span>
                      </AppLink>{' '}
                      – {hasEnded ? t('admin.webhooks.endedBy') : t('admin.webhooks.failing')}
                    </li>
                  ))}
                </ul>
              ) : (
                <p className="max-w-2xl wrap-anywhere">{detail}</p>
              )}
              {advice && (
                <p className="max-w-2xl">
                  <span className="font-semibold">{t('admin.health.todo')}</span> {advice}
                </p>
              )}
              {group === 'webhooks' && (
                <p>
                  <AppLink href="/admin/webhooks" className={LINK}>
                    {t('admin.health.openWebhooks')}
                  </AppLink>
                </p>
              )}
              {id && (
                <p className="text-ink-soft">
                  {t('admin.health.check')} <code className="text-xs wrap-anywhere">{id}</code>
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}
