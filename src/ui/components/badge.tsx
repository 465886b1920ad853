import type { ReactNode } from 'react'

const PILL =
  'inline-flex shrink-0 items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap forced-colors:border'

const TONES = {
  /** State of most items. It has no pill, so that other states stand out. */
  usual: 'text-sm font-normal text-ink-soft',
  neutral: `${PILL} bg-sunken text-ink-soft`,
  good: `${PILL} bg-accent-soft text-ink`,
  warning: `${PILL} bg-warn-soft text-warn`,
  bad: `${PILL} bg-danger-soft text-danger`,
}

export type BadgeTone = keyof typeof TONES

/** A status in one or two words. With the tone `usual`, it can be a sentence, which wraps. */
export function Badge({ tone = 'neutral', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={TONES[tone]}>{children}</span>
}
