import type { ReactNode } from 'react'

/** The title of a page for administrators. */
export function AdminHeading({ children }: { children: ReactNode }) {
  return <h1 className="text-2xl font-semibold tracking-tight">{children}</h1>
}
