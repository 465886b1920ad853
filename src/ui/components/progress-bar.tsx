import clsx from 'clsx'

type ProgressBarProps = {
  /** Accessible name. */
  label: string
  /** 0 to 1. */
  value: number
  /** 0 to 1. A second, lighter part that follows `value`. */
  secondaryValue?: number
  /** Announced instead of the percentage, such as "3 MB of 10 MB". */
  valueText?: string
  role?: 'progressbar' | 'meter'
  tone?: 'accent' | 'danger' | 'muted'
  className?: string
}

/** The second part of a muted bar is muted too. */
const SECONDARY_TONES = {
  accent: 'fill-accent-faint',
  danger: 'fill-accent-faint',
  muted: 'fill-line-strong/40',
}
const TONES = { accent: 'fill-accent', danger: 'fill-danger', muted: 'fill-line-strong' }
/** In forced-colors mode, the system's colors for selected and disabled items. */
const FORCED = 'forced-colors:fill-[Highlight]'
const FORCED_SECONDARY = 'forced-colors:fill-[GrayText]'

/**
 * A progress bar or a meter. Widths are SVG attributes, because the Content-Security-Policy forbids inline styles.
 * They are not animated: ten transitions a second make the browser draw 60 frames a second. An upload of 300 MB then
 * took 0.96 s of main-thread CPU instead of 0.40 s (`npm run bench -- upload`).
 */
export function ProgressBar({
  label,
  value,
  secondaryValue = 0,
  valueText,
  role = 'progressbar',
  tone = 'accent',
  className,
}: ProgressBarProps) {
  // <progress> and <meter> have one color and no second part.
  const accessibility = {
    role,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': Math.round(clamp(value) * 100),
    'aria-valuetext': valueText,
  }
  return (
    <div
      {...accessibility}
      className={clsx(
        'h-1.5 overflow-hidden rounded-full bg-line forced-colors:h-2 forced-colors:border',
        className,
      )}
    >
      <svg className="block size-full" aria-hidden="true" focusable="false">
        <rect
          className={clsx(SECONDARY_TONES[tone], FORCED_SECONDARY)}
          width={percent(value + secondaryValue)}
          height="100%"
          visibility={secondaryValue > 0 ? 'visible' : 'hidden'}
        />
        <rect className={clsx(TONES[tone], FORCED)} width={percent(value)} height="100%" />
      </svg>
    </div>
  )
}

function percent(fraction: number): string {
  return `${(clamp(fraction) * 100).toFixed(2)}%`
}

function clamp(fraction: number): number {
  return Number.isFinite(fraction) ? Math.min(1, Math.max(0, fraction)) : 0
}
