import clsx from 'clsx'
import { ChevronDown, ChevronUp } from 'lucide-react'

type SortHeadProps<Sort> = {
  label: string
  /** The column's orders. A click on the current column changes to the next one. */
  sorts: [Sort, ...Sort[]]
  /** Orders in which values grow from row to row. */
  ascending: readonly Sort[]
  /** Order of the list. */
  sort: Sort
  onSort(sort: Sort): void
  className?: string
}

/** Column header of a wide list, which sorts by its column. */
export function SortHead<Sort>({ label, sorts, ascending, sort, onSort, className }: SortHeadProps<Sort>) {
  const isCurrent = sorts.includes(sort)
  const Arrow = ascending.includes(isCurrent ? sort : sorts[0]) ? ChevronUp : ChevronDown
  return (
    <button
      type="button"
      aria-pressed={isCurrent}
      onClick={() => onSort(sorts[(sorts.indexOf(sort) + 1) % sorts.length] ?? sorts[0])}
      className={clsx(
        'group hidden min-h-10 items-center gap-1 rounded-md hover:text-ink hover:underline lg:flex',
        isCurrent ? 'font-medium text-ink' : 'text-ink-soft',
        className,
      )}
    >
      {label}
      <Arrow
        aria-hidden="true"
        className={clsx(
          'size-3.5',
          !isCurrent && 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60',
        )}
      />
    </button>
  )
}
