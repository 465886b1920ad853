import type { ReactNode } from 'react'
import { Card } from '../components/card.tsx'
import { AdminHeading } from './admin-heading.tsx'

type AdminPageProps = {
  title: string
  description?: string
  /** Buttons beside the heading. They hide while the content has an element with `data-has-action`. */
  actions?: ReactNode
  /** Content of the page's card. */
  children: ReactNode
}

/** Page for administrators with one card, such as a list. */
export function AdminPage({ title, description, actions, children }: AdminPageProps) {
  return (
    <div className="group/page space-y-4 sm:space-y-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-48 space-y-1">
          <AdminHeading>{title}</AdminHeading>
          {description && <p className="text-sm text-ink-soft">{description}</p>}
        </div>
        <div className="contents group-has-[[data-has-action]]/page:hidden">{actions}</div>
      </div>
      <Card>{children}</Card>
    </div>
  )
}
