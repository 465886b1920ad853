import clsx from 'clsx'

type BarProps = {
  /** What is measured, for screen readers. */
  label: string
  /** 0 to 1. */
  value: number
  /** 0 to 1, drawn lighter from `value` on. */
  further?: number
  /** How it is read out, like "3 MB of 10 MB". */
  text?: string
  kind?: 'progressbar' | 'meter'
  tone?: 'accent' | 'danger' | 'soft'
  className?: string
}

const TONES = { accent: 'fill-accent', danger: 'fill-danger', soft: 'fill-line-strong' }

/** Progress or level. Widths are attributes of the drawing, so a policy against inline styles is no obstacle. */
export function Bar({
  label,
  value,
  further = 0,
  text,
  kind = 'progressbar',
  tone = 'accent',
  className,
}: BarProps) {
  // Not <progress> and <meter>: those show one colour and have no second part.
  const name = {
    role: kind,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(clamp(value) * 100),
    'aria-valuetext': text,
  }
  return (
    <div {...name} className={clsx('h-1.5 overflow-hidden rounded-full bg-sunken', className)}>
      <svg className="block size-full" aria-hidden="true" focusable="false">
        <rect
          className="bar-fill fill-accent-faint"
          width={percent(value + further)}
          height="100%"
          visibility={further > 0 ? 'visible' : 'hidden'}
        />
        <rect className={clsx('bar-fill', TONES[tone])} width={percent(value)} height="100%" />
      </svg>
    </div>
  )
}

function percent(part: number): string {
  return `${(clamp(part) * 100).toFixed(2)}%`
}

function clamp(part: number): number {
  return Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0
}
