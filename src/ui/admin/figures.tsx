import clsx from 'clsx'
import type { ReactNode } from 'react'

type FiguresProps = {
  figures: { label: string; value: ReactNode; note?: ReactNode; isBad?: boolean }[]
  /** Columns on wide screens, as a class. */
  columns: string
}

/** Numbers with their labels, side by side. Those of one row stay on one line where a label needs two. */
export function Figures({ figures, columns }: FiguresProps) {
  const hasNotes = figures.some(({ note }) => note)
  return (
    <dl className={clsx('grid grid-cols-2 gap-x-6 px-4 py-2 sm:px-5', columns)}>
      {figures.map(({ label, value, note, isBad }) => (
        <div
          key={label}
          className={clsx('grid grid-rows-subgrid py-2', hasNotes ? 'row-span-3' : 'row-span-2')}
        >
          <dt className="text-sm text-ink-soft">{label}</dt>
          <dd
            className={clsx(
              'text-xl font-semibold tabular-nums',
              isBad && 'text-danger',
              value === '0' && 'text-ink-soft',
            )}
          >
            {value}
          </dd>
          {note && <dd className="text-sm text-ink-soft tabular-nums">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
