import clsx from 'clsx'
import type { ReactNode } from 'react'

export type Column = { label: string; isNumber?: boolean }

type ColumnHeadsProps = {
  columns: Column[]
  /** Grid columns, as classes. The rows use the same. */
  grid: string
}

/** Heads of a list's columns on wide screens. `Cell` names its value for screen readers and on phones. */
export function ColumnHeads({ columns, grid }: ColumnHeadsProps) {
  return (
    <div
      aria-hidden="true"
      className={clsx(
        'hidden border-b border-line px-4 py-2 text-xs font-medium text-ink-soft sm:px-5 lg:grid',
        grid,
      )}
    >
      {columns.map(({ label, isNumber }) => (
        <span key={label} className={clsx('min-w-0', isNumber && 'text-right')}>
          {label}
        </span>
      ))}
    </div>
  )
}

type CellProps = Column & { className?: string; children: ReactNode }

/** A value in a column of a list. */
export function Cell({ label, isNumber, className, children }: CellProps) {
  return (
    <div
      className={clsx(
        'flex min-w-0 items-baseline gap-x-2 text-sm lg:block',
        isNumber && 'tabular-nums lg:text-right',
        className,
      )}
    >
      <span className="shrink-0 text-ink-soft lg:sr-only">{label}</span> {children}
    </div>
  )
}
