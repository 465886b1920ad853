import clsx from 'clsx'
import type { ReactNode } from 'react'

type FiguresProps = {
  figures: { label: string; value: ReactNode; note?: ReactNode; isBad?: boolean }[]
  /** Columns on wide screens, as a class. */
  columns: string
}

/** Numbers with their labels, side by side. */
export function Figures({ figures, columns }: FiguresProps) {
  return (
    <dl className={clsx('grid grid-cols-2 gap-x-6 gap-y-4 px-4 py-4 sm:px-5', columns)}>
      {figures.map(({ label, value, note, isBad }) => (
        <div key={label}>
          <dt className="text-sm text-ink-soft">{label}</dt>
          <dd className={clsx('text-xl font-semibold tabular-nums', isBad && 'text-danger')}>{value}</dd>
          {note && <dd className="text-sm text-ink-soft tabular-nums">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}
