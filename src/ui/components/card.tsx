import clsx from 'clsx'
import type { ReactNode } from 'react'

type CardProps = {
  title?: string
  /** Hides the title from view, where a heading above says the same: always, or on phones. */
  titleHidden?: boolean | 'phones'
  /** Shown beside the title. */
  note?: ReactNode
  /** Shown beside the title while the card has no content. */
  emptyText?: string
  description?: ReactNode
  /** Shown at the end of the header. */
  actions?: ReactNode
  headerClass?: string
  className?: string
  children?: ReactNode
}

/** A titled section of a page. */
export function Card({
  title,
  titleHidden = false,
  note,
  emptyText,
  description,
  actions,
  headerClass = 'px-4 py-3 sm:px-5',
  className,
  children,
}: CardProps) {
  return (
    <section
      aria-label={title}
      className={clsx('rounded-xl border border-line bg-surface shadow-card', className)}
    >
      {title && (
        <header
          className={clsx(
            'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 not-last:border-b border-line',
            headerClass,
          )}
        >
          <div className={clsx('min-w-0 flex-1', emptyText ? 'basis-32' : 'basis-56')}>
            <div className="flex flex-wrap items-baseline gap-x-3">
              <h2
                className={clsx(
                  titleHidden === true ? 'sr-only' : 'text-base font-semibold',
                  titleHidden === 'phones' && 'max-sm:sr-only',
                )}
              >
                {title}
              </h2>
              {note && <p className="text-sm text-ink-soft tabular-nums">{note}</p>}
              {emptyText && (
                <p className="text-sm text-ink-soft [header:not(:last-child)_&]:hidden">{emptyText}</p>
              )}
            </div>
            {description && <p className="text-sm text-ink-soft">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}
