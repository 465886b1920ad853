import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type DisclosureProps = {
  title: ReactNode
  /** Says what is in the section. */
  hint?: string
  /** Shows a row of the surrounding card instead of a box in it. */
  asRow?: boolean
  /** Without it, the section keeps its own state. */
  open?: boolean
  children: ReactNode
  onToggle?(open: boolean): void
}

/** A collapsed section with content that few users need. */
export function Disclosure({ title, hint, asRow = false, open, children, onToggle }: DisclosureProps) {
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
        {hint ? (
          <span className="min-w-0">
            <span className="font-semibold">{title}</span>
            <span className="block font-normal text-ink-soft">{hint}</span>
          </span>
        ) : (
          title
        )}
      </summary>
      <div className={clsx('space-y-4', asRow ? 'pt-2 pb-6 sm:pl-6' : 'border-t border-line p-3')}>
        {children}
      </div>
    </details>
  )
}
