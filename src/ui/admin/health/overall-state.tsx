import clsx from 'clsx'
import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { type HealthCheck, summaryOf } from './health-checks.ts'

type OverallStateProps = {
  problems: HealthCheck[]
  /** False before the first results of doctor. */
  isComplete: boolean
  /** True once all checks have run, not only those that write nothing. */
  isFull: boolean
  /** True if the last check itself failed. */
  hasFailed: boolean
  /** Time of the last check. */
  checkedAt: string | undefined
  /** Button that checks again. */
  children: ReactNode
}

const STATES = {
  bad: { Icon: CircleAlert, colors: 'bg-danger-soft text-danger' },
  warning: { Icon: TriangleAlert, colors: 'bg-warn-soft text-warn' },
  good: { Icon: CircleCheck, colors: 'bg-accent-soft text-accent-strong' },
  unknown: { Icon: CircleDashed, colors: 'bg-sunken text-ink-soft' },
}

/** The overall state in one line, the first thing that administrators see. */
export function OverallState({
  problems,
  isComplete,
  isFull,
  hasFailed,
  checkedAt,
  children,
}: OverallStateProps) {
  const { t } = useMessages()
  const isUnknown = problems.length === 0 && (!isComplete || hasFailed)
  const worst = problems.some(({ status }) => status === 'FAIL') ? 'bad' : 'warning'
  const { Icon, colors } = STATES[isUnknown ? 'unknown' : problems.length > 0 ? worst : 'good']
  const unknown = hasFailed ? t('admin.health.unknown') : t('admin.health.running')
  return (
    <section
      aria-labelledby="overall-state"
      className={clsx(
        'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-xl px-4 py-4 sm:px-5 forced-colors:border',
        colors,
      )}
    >
      <Icon aria-hidden="true" className="size-8 shrink-0 self-start" />
      <div className="min-w-0 flex-1 basis-48">
        <h2 id="overall-state" className="text-lg font-semibold text-balance sm:text-xl">
          {isUnknown ? unknown : summaryOf(problems, isFull, t)}
        </h2>
        {/* The space is reserved, so that the page below does not move. */}
        <p className="min-h-5 text-sm text-ink tabular-nums">
          {checkedAt &&
            t.rich('admin.health.checked', { time: checkedAt, when: () => <LocalTime at={checkedAt} /> })}
        </p>
      </div>
      {/* The button and what it does, as wide as the state. */}
      <div className="flex basis-full flex-wrap items-center gap-x-4 gap-y-1.5 sm:pl-12">
        {children}
        <p
          className={clsx(
            'min-w-0 flex-1 basis-64 text-sm text-ink',
            // Reserves the space of the text that follows.
            !isComplete && !hasFailed && 'invisible',
          )}
        >
          {t(isFull || (hasFailed && !isComplete) ? 'admin.health.checkNowText' : 'admin.health.quickText')}
        </p>
      </div>
    </section>
  )
}
