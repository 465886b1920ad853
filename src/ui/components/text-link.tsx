import type { ReactNode } from 'react'

/** A link to a page that Next does not render, such as the sign-in page. */
export function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="font-medium text-accent underline underline-offset-2">
      {children}
    </a>
  )
}
