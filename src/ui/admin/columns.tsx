import clsx from 'clsx'
import type { ReactNode } from 'react'

export type Column = { label: string; isNumber?: boolean }
type ColumnHead = Column & { /** Button that sorts by the column. */ button?: ReactNode }

type ColumnHeadsProps = {
  columns: ColumnHead[]
  /** Grid columns, as classes. The rows use the same. */
  grid: string
}

/** Heads of a list's columns on wide screens. `Cell` names its value for screen readers and on phones. */
export function ColumnHeads({ columns, grid }: ColumnHeadsProps) {
  const sortable = columns.some(({ button }) => button)
  return (
    <div
      aria-hidden={!sortable || undefined}
      className={clsx(
        'hidden items-center border-b border-line px-4 py-2 text-sm font-medium whitespace-nowrap text-ink-soft sm:px-5 lg:grid',
        grid,
      )}
    >
      {columns.map(({ label, isNumber, button }) =>
        button ? (
          <div key={label} className="-my-2">
            {button}
          </div>
        ) : (
          <span key={label} aria-hidden="true" className={clsx('min-w-0', isNumber && 'pr-2 text-right')}>
            {label}
          </span>
        ),
      )}
    </div>
  )
}

type CellProps = Column & {
  /** True for a value such as a badge, whose label is for screen readers only. */
  isPlain?: boolean
  className?: string
  children: ReactNode
}

/** A value in a column of a list. */
export function Cell({ label, isNumber, isPlain, className, children }: CellProps) {
  return (
    <div
      className={clsx(
        'flex min-w-0 items-baseline gap-x-2 text-sm lg:block',
        isNumber && 'tabular-nums lg:pr-2 lg:text-right',
        className,
      )}
    >
      <span className={clsx(isPlain ? 'sr-only' : 'shrink-0 text-ink-soft lg:sr-only')}>{label}</span>{' '}
      {children}
    </div>
  )
}

/** A cell without a value. On phones, it is left out. */
export function EmptyCell(column: Column) {
  return (
    <Cell {...column} className="max-lg:hidden">
      <span className="text-ink-soft">–</span>
    </Cell>
  )
}
