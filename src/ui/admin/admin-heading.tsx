import type { ReactNode } from 'react'

export function AdminHeading({ children }: { children: ReactNode }) {
  return <h1 className="text-2xl font-semibold tracking-tight text-balance">{children}</h1>
}
