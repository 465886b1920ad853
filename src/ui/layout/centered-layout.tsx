import type { ReactNode } from 'react'
import { Logo } from '../components/logo.tsx'
import { CenteredTitle } from './centered-title.tsx'
import { LazyPreferenceSelects } from './lazy-preference-selects.tsx'

type CenteredLayoutProps = {
  /** Omitted if the content has its own `CenteredTitle`, which changes. */
  title?: string
  children: ReactNode
  footer?: ReactNode
  /** False to load no further script. */
  selects?: boolean
}

/** Layout with a narrow card in the middle, for sign-in and error pages. */
export function CenteredLayout({ title, children, footer, selects = true }: CenteredLayoutProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 py-10 sm:justify-center sm:pb-24">
      <div className="w-full max-w-sm">
        <div className="mb-8 flex justify-center">
          <Logo />
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-card sm:p-8">
          {title !== undefined && <CenteredTitle>{title}</CenteredTitle>}
          {children}
        </div>
        {footer && <p className="mt-6 text-center text-sm text-ink-soft">{footer}</p>}
        <div className="mt-8 flex flex-wrap justify-center gap-x-5 text-sm text-ink-soft">
          {selects && <LazyPreferenceSelects compact />}
        </div>
      </div>
    </main>
  )
}
