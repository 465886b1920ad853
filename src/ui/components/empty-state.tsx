import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

type EmptyStateProps = {
  icon: LucideIcon
  title: ReactNode
  children?: ReactNode
  /** Instructions for adding the first item. */
  guide?: ReactNode
  /** On one or two lines, for a page of several lists. */
  compact?: boolean
}

/** Replaces an empty list. The children say what to do. */
export function EmptyState({ icon: Icon, title, children, guide, compact }: EmptyStateProps) {
  if (compact)
    return (
      <div className="px-4 py-4 text-sm text-ink-soft sm:px-5">
        <p>
          <span className="font-medium">{title}.</span> {children}
        </p>
        {guide}
      </div>
    )
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 flex size-12 items-center justify-center rounded-full bg-sunken">
        <Icon aria-hidden="true" className="size-6 text-ink-soft" />
      </span>
      <p className="font-medium">{title}</p>
      {children && <div className="mt-1 max-w-md text-sm text-ink-soft">{children}</div>}
      {guide && <div className="w-full max-w-2xl text-sm text-ink-soft">{guide}</div>}
    </div>
  )
}
