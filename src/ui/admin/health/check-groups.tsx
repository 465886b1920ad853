import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import { DottedParts } from '../../components/dotted-parts.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type CheckedGroup, type CheckGroup, countProblems } from './health-checks.ts'
import { StatusIcon } from './status-icon.tsx'

const LABELS: Record<CheckGroup, PlainMessageKey> = {
  server: 'admin.health.groups.server',
  database: 'admin.health.groups.database',
  files: 'admin.health.groups.files',
  push: 'admin.health.groups.push',
  webhooks: 'admin.health.groups.webhooks',
  accounts: 'admin.health.groups.accounts',
}

/** One line per group of checks with its worst status, which opens to show them. The list above has the problems. */
export function CheckGroups({ groups }: { groups: CheckedGroup[] }) {
  return (
    <div className="divide-y divide-line">
      {groups.map((one) => (
        <Group key={one.group} {...one} />
      ))}
    </div>
  )
}

function Group({ group, status, checks }: CheckedGroup) {
  const { t } = useMessages()
  const label = t(LABELS[group])
  const passed = checks.filter((check) => check.status === 'ok').length
  return (
    <details className="group">
      {/* On narrow phones, the counts are below the name. */}
      <summary className="flex min-h-12 cursor-pointer list-none items-center gap-3 px-4 py-3 text-sm hover:bg-sunken sm:px-5">
        <StatusIcon status={status} />
        <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-3">
          <span className="font-medium">{label}</span>{' '}
          <span className="text-ink-soft tabular-nums">
            <DottedParts
              parts={[
                ...countProblems(checks, t),
                ...(passed > 0 ? [t('admin.health.passed', { count: passed })] : []),
              ]}
            />
          </span>
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
      </summary>
      <ul aria-label={label} className="divide-y divide-line border-t border-line text-sm">
        {checks.map(({ key, name, id, status, detail }) => (
          <li
            key={key}
            className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-4 py-2 sm:grid-cols-[auto_2fr_3fr] sm:px-5"
          >
            <StatusIcon status={status} small />
            <div className="min-w-0">
              <p>{name}</p>
              {id && <code className="block text-xs wrap-anywhere text-ink-soft">{id}</code>}
            </div>
            <p
              className={clsx(
                'min-w-0 wrap-anywhere max-sm:col-start-2',
                status === 'ok' ? 'text-ink-soft' : status === 'FAIL' ? 'text-danger' : 'text-warn',
              )}
            >
              {status === 'ok' ? detail : t(status === 'FAIL' ? 'admin.health.fails' : 'admin.health.warns')}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}
