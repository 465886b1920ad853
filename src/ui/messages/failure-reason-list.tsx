import type { Outputs } from '@pigeonhole/client'
import type { ReactNode } from 'react'
import { DottedParts } from '../components/dotted-parts.tsx'
import { PLATFORM_NAMES } from '../components/platform-names.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AppLink } from '../layout/app-link.tsx'
import { FAILURE_CAUSES, failureCause } from './failure-causes.ts'

type FailureReasonListProps = {
  /** Accessible name of the list. */
  label: string
  items: Outputs['messages']['failures']['items']
  /** Number of failed devices. At most 10,000 are recorded with a reason. */
  failed: number
  /** True to say what administrators can do, not to ask one. */
  forAdmin: boolean
}

const healthLink = (children: ReactNode) => (
  <AppLink href="/admin/health" className="relative text-accent underline">
    {children}
  </AppLink>
)

/** Counts of failed devices by reason, in words and with advice. The code is below. */
export function FailureReasonList({ label, items, failed, forAdmin }: FailureReasonListProps) {
  const { t, format } = useMessages()
  const others = failed - items.reduce((sum, { count }) => sum + count, 0)
  return (
    <ul aria-label={label} className="space-y-3">
      {items.map(({ platform, reason, count }) => {
        const { text, advice } = FAILURE_CAUSES[failureCause(reason)]
        return (
          <li key={`${platform} ${reason}`} className="flex items-baseline gap-3">
            <span className="min-w-6 text-right font-medium tabular-nums sm:min-w-8">
              {format.number(count)}
            </span>
            <span className="min-w-0 flex-1">
              {t(text)} {forAdmin ? t.rich(advice, { health: healthLink }) : t('sent.askAdmin')}
              <span className="block text-ink-soft">
                <DottedParts
                  parts={[
                    PLATFORM_NAMES[platform],
                    <code key="reason" className="text-xs">
                      {reason}
                    </code>,
                  ]}
                />
              </span>
            </span>
          </li>
        )
      })}
      {others > 0 && (
        <li className="flex items-baseline gap-3 text-ink-soft">
          <span className="min-w-6 text-right tabular-nums sm:min-w-8">{format.number(others)}</span>
          {t('sent.otherReasons')}
        </li>
      )}
    </ul>
  )
}
