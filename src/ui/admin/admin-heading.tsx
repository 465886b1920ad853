import type { ReactNode } from 'react'

/** Heading of a page for administrators. It is smaller on phones, so that most buttons fit beside it. */
export function AdminHeading({ children }: { children: ReactNode }) {
  return <h1 className="text-xl font-semibold tracking-tight text-balance sm:text-2xl">{children}</h1>
}
