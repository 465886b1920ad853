import clsx from 'clsx'
import { ChevronRight, CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CHECK_GROUPS, type CheckGroup, type HealthCheck, problemsOf } from './health-checks.ts'

const LABELS: Record<CheckGroup, PlainMessageKey> = {
  server: 'admin.health.groups.server',
  database: 'admin.health.groups.database',
  files: 'admin.health.groups.files',
  push: 'admin.health.groups.push',
  webhooks: 'admin.health.groups.webhooks',
  accounts: 'admin.health.groups.accounts',
}

/** One line per group of checks, which opens to show them, problems first. */
export function CheckGroups({ checks }: { checks: HealthCheck[] }) {
  return (
    <div className="divide-y divide-line">
      {CHECK_GROUPS.map((group) => {
        const found = checks.filter((check) => check.group === group)
        return found.length > 0 && <Group key={group} label={LABELS[group]} checks={found} />
      })}
    </div>
  )
}

function Group({ label, checks }: { label: PlainMessageKey; checks: HealthCheck[] }) {
  const { t } = useMessages()
  const passed = checks.filter(({ status }) => status === 'ok')
  const problems = checks.filter(({ status }) => status === 'FAIL').length
  const warnings = checks.length - passed.length - problems
  const isFine = passed.length === checks.length
  const [Icon, color] = isFine
    ? [CircleCheck, 'text-accent']
    : problems > 0
      ? [CircleAlert, 'text-danger']
      : [TriangleAlert, 'text-warn']
  const line = (
    <>
      <Icon aria-hidden="true" className={clsx('size-5 shrink-0', color)} />
      <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-3">
        <span className="font-medium">{t(label)}</span>
        <span className={clsx('tabular-nums', isFine ? 'text-ink-soft' : `font-medium ${color}`)}>
          {[
            problems > 0 && t('admin.health.problems', { count: problems }),
            warnings > 0 && t('admin.health.warnings', { count: warnings }),
            passed.length > 0 && t('admin.health.passed', { count: passed.length }),
          ]
            .filter(Boolean)
            .join(', ')}
        </span>
      </span>
    </>
  )
  return (
    <details className="group">
      <summary className="flex min-h-12 cursor-pointer list-none items-center gap-3 px-4 py-3 text-sm hover:bg-sunken sm:px-5">
        {line}
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
      </summary>
      <ul aria-label={t(label)} className="space-y-2 pr-4 pb-4 pl-12 text-sm sm:pl-13">
        {[...problemsOf(checks), ...passed].map(({ key, status, name, id, detail }) => (
          <li key={key} className="gap-x-6 sm:grid sm:grid-cols-[2fr_3fr]">
            <p title={id} className="min-w-0">
              {status !== 'ok' && (
                <span className={clsx('font-medium', status === 'FAIL' ? 'text-danger' : 'text-warn')}>
                  {t(status === 'FAIL' ? 'admin.health.fails' : 'admin.health.warns')}:{' '}
                </span>
              )}
              {name}
            </p>
            <p className="min-w-0 wrap-anywhere text-ink-soft">{detail}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}
