import clsx from 'clsx'
import type { ReactNode } from 'react'
import { ProgressBar } from '../components/progress-bar.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { hasFullStorage, type Usage } from './use-file-queries.ts'

/** Share of the quota at which the meter turns red. */
const NEARLY_FULL = 0.9
/** Share of the quota from which reserved bytes are visible in the meter, so that the text explains them. */
const VISIBLE = 0.01

type QuotaMeterProps = {
  usage: Usage
  /** A button whose area covers the meter, with an icon at the end of the text. Reserved bytes are then in its text on phones and wide screens, and once they fill the storage. */
  button?: ReactNode
}

/** Meter of the used quota and of the bytes that uploads in progress and the trash reserve. */
export function QuotaMeter({ usage, button }: QuotaMeterProps) {
  const { used, reserved, quota } = usage
  const { t, format } = useMessages()
  const share = quota === 0 ? 1 : used / quota
  const nearlyFull = quota === 0 || (used + reserved) / quota >= NEARLY_FULL
  const isFull = hasFullStorage(usage)
  const sizes = { used: format.bytes(used), quota: format.bytes(quota) }
  const text = t('storage.used', sizes)
  const reservedText = reserved > 0 ? t('storage.reserved', { size: format.bytes(reserved) }) : ''
  const visibleText =
    quota > 0 && reserved / quota >= VISIBLE
      ? t.rich('storage.usedAndReserved', {
          ...sizes,
          reserved: format.bytes(reserved),
          wide: (part) => <span className={button && !isFull ? 'sm:max-lg:hidden' : undefined}>{part}</span>,
        })
      : text
  return (
    <div className="w-full">
      <p
        className={clsx(
          'mb-1.5 flex items-center justify-between gap-x-2 text-sm text-ink-soft tabular-nums',
          button && 'pr-6',
          button && !isFull && 'sm:whitespace-nowrap',
        )}
      >
        <span className={clsx('min-w-0', button && !isFull && 'sm:truncate')}>{visibleText}</span>
        {nearlyFull && (
          <span
            className={clsx('shrink-0 font-medium whitespace-nowrap text-danger', button && 'max-md:sr-only')}
          >
            {t(isFull ? 'storage.full' : 'storage.nearlyFull')}
          </span>
        )}
      </p>
      <ProgressBar
        role="meter"
        label={t('storage.label')}
        value={share}
        secondaryValue={quota === 0 ? 0 : reserved / quota}
        valueText={reservedText ? `${text}, ${reservedText}` : text}
        tone={nearlyFull ? 'danger' : 'accent'}
      />
      {button}
    </div>
  )
}
