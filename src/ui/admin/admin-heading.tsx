import type { ReactNode } from 'react'

export function AdminHeading({ children }: { children: ReactNode }) {
  return <h1 className="text-xl font-semibold tracking-tight text-balance sm:text-2xl">{children}</h1>
}
