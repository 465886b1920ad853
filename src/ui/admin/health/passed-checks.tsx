import { ChevronRight, CircleCheck } from 'lucide-react'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { CHECK_GROUPS, type CheckGroup, type HealthCheck } from './health-checks.ts'

const LABELS: Record<CheckGroup, PlainMessageKey> = {
  server: 'admin.health.groups.server',
  database: 'admin.health.groups.database',
  files: 'admin.health.groups.files',
  push: 'admin.health.groups.push',
  webhooks: 'admin.health.groups.webhooks',
  accounts: 'admin.health.groups.accounts',
}

/** One line per group of passed checks, which opens to show them. */
export function PassedChecks({ checks }: { checks: HealthCheck[] }) {
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
  const { t, format } = useMessages()
  return (
    <details className="group">
      <summary className="flex min-h-12 cursor-pointer list-none items-center gap-3 px-4 py-3 text-sm hover:bg-sunken sm:px-5">
        <CircleCheck aria-hidden="true" className="size-5 shrink-0 text-accent" />
        <span className="min-w-0 flex-1 font-medium">{t(label)}</span>{' '}
        <span className="text-ink-soft tabular-nums">{format.number(checks.length)}</span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
      </summary>
      <ul aria-label={t(label)} className="space-y-2 pr-4 pb-4 pl-12 text-sm sm:pl-13">
        {checks.map(({ key, name, id, detail }) => (
          <li key={key} className="gap-x-6 sm:grid sm:grid-cols-[2fr_3fr]">
            <p title={id} className="min-w-0">
              {name}
            </p>
            <p className="min-w-0 wrap-anywhere text-ink-soft">{detail}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}
