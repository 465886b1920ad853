import { ChevronLeft } from 'lucide-react'
import { AppLink } from './app-link.tsx'

/** Link above a page's heading to the list that the page belongs to. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <AppLink
      href={href}
      className="relative -ml-1 inline-flex min-h-8 items-center gap-1 pr-1 text-sm text-accent hover:underline pointer-coarse:min-h-11"
    >
      <ChevronLeft aria-hidden="true" className="size-4" />
      {children}
    </AppLink>
  )
}
