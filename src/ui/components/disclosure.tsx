import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

type DisclosureProps = { title: string; children: ReactNode; onToggle?(open: boolean): void }

/** A collapsed section with content that few users need. */
export function Disclosure({ title, children, onToggle }: DisclosureProps) {
  return (
    <details
      className="group rounded-lg border border-line"
      onToggle={(event) => onToggle?.(event.currentTarget.open)}
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-3 text-sm font-medium">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
        {title}
      </summary>
      <div className="space-y-4 border-t border-line p-3">{children}</div>
    </details>
  )
}
