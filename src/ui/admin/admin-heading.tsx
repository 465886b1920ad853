import type { ReactNode } from 'react'

export function AdminHeading({ children }: { children: ReactNode }) {
  return <h1 className="text-xl font-semibold sm:text-2xl tracking-tight">{children}</h1>
}
