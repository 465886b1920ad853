import type { ReactNode } from 'react'
import { Card } from '../components/card.tsx'
import { AdminHeading } from './admin-heading.tsx'

type AdminPageProps = {
  title: string
  description?: string
  /** Buttons beside the heading. */
  actions?: ReactNode
  /** Content of the page's card. */
  children: ReactNode
}

/** Page for administrators with one card, such as a list. */
export function AdminPage({ title, description, actions, children }: AdminPageProps) {
  return (
    <div className="space-y-4 sm:space-y-6">
      {/* On phones, the description is below the heading and the buttons, which share a row where they fit. */}
      <div className="flex flex-wrap items-center justify-between gap-2 sm:grid sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-x-4 sm:gap-y-1">
        <AdminHeading>{title}</AdminHeading>
        {actions && <div className="sm:row-span-2">{actions}</div>}
        {description && <p className="basis-full text-sm text-ink-soft sm:col-start-1">{description}</p>}
      </div>
      <Card>{children}</Card>
    </div>
  )
}
