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
      {/*
        On phones, the description is as wide as the page: below the button or, on the narrowest, where the button is not
        beside the heading, above it.
      */}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 sm:grid sm:gap-y-1 sm:grid-cols-[minmax(0,1fr)_auto]">
        <AdminHeading>{title}</AdminHeading>
        {description && (
          <p className="basis-full text-sm text-ink-soft max-[22.5rem]:-mt-1 min-[22.5rem]:max-sm:order-last sm:col-start-1">
            {description}
          </p>
        )}
        {actions && <div className="sm:col-start-2 sm:row-span-2 sm:row-start-1">{actions}</div>}
      </div>
      <Card>{children}</Card>
    </div>
  )
}
