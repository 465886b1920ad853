import type { ReactNode } from 'react'

/** Heading of a page in `CenteredLayout`. */
export function CenteredTitle({ children }: { children: ReactNode }) {
  return <h1 className="mb-6 text-xl font-semibold">{children}</h1>
}
