'use client'

import { ChevronRight } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Loading } from '../components/loading.tsx'

/**
 * Steps to something that an empty page lacks, folded up until somebody asks: only then are they loaded and drawn, which
 * makes the page usable sooner.
 */
export function Guide({ title, children }: { title: string; children: ReactNode }) {
  const [isAskedFor, setAskedFor] = useState(false)
  const askIfOpen = (details: HTMLDetailsElement | null) => {
    if (details?.open) setAskedFor(true)
  }
  return (
    // By `ref` what was unfolded before React was there.
    <details
      ref={askIfOpen}
      onToggle={({ currentTarget }) => askIfOpen(currentTarget)}
      className="group mt-4 rounded-lg border border-line bg-surface text-left"
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-3 font-medium text-ink">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 transition-transform group-open:rotate-90 motion-reduce:transition-none"
        />
        {title}
      </summary>
      <div className="space-y-3 border-t border-line p-3">
        <Suspense fallback={<Loading />}>{isAskedFor && children}</Suspense>
      </div>
    </details>
  )
}
