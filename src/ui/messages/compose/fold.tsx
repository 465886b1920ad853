import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

/** A part of the form that most messages do not need. */
export function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="group rounded-lg border border-line">
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
