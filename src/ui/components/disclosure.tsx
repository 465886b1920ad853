import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type DisclosureProps = {
  title: ReactNode
  /** Shows a row of the surrounding card instead of a box in it. */
  asRow?: boolean
  /** Without it, the section keeps its own state. */
  open?: boolean
  children: ReactNode
  onToggle?(open: boolean): void
}

/** A collapsed section with content that few users need. */
export function Disclosure({ title, asRow = false, open, children, onToggle }: DisclosureProps) {
  return (
    <details
      open={open}
      className={clsx('group border-line', asRow ? 'border-t' : 'rounded-lg border')}
      onToggle={(event) => onToggle?.(event.currentTarget.open)}
    >
      <summary
        className={clsx(
          'flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg py-2 text-sm font-medium',
          !asRow && 'px-3',
        )}
      >
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
        {title}
      </summary>
      <div className={clsx('space-y-4', asRow ? 'pt-1 pb-4' : 'border-t border-line p-3')}>{children}</div>
    </details>
  )
}
