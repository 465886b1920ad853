import clsx from 'clsx'
import type { ReactNode } from 'react'

const TONES = {
  neutral: 'bg-sunken text-ink-soft',
  good: 'bg-accent-soft text-ink',
  warning: 'bg-warn-soft text-warn',
  bad: 'bg-danger-soft text-danger',
}

export type BadgeTone = keyof typeof TONES

/** A status in one or two words. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex shrink-0 items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap forced-colors:border',
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}
