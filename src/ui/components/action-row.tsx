import clsx from 'clsx'
import type { ReactNode } from 'react'

type ActionRowProps = {
  title?: string
  /** Effect of the action. */
  text: string
  className?: string
  /** Its button. */
  children: ReactNode
}

/** Row of a card with an action and a text about it. */
export function ActionRow({ title, text, className, children }: ActionRowProps) {
  return (
    <div className={clsx('flex flex-wrap items-center justify-between gap-3 px-4 py-4 sm:px-5', className)}>
      <div className="min-w-0 flex-1 basis-56">
        {title && <p className="font-medium">{title}</p>}
        <p className="text-sm text-pretty text-ink-soft">{text}</p>
      </div>
      {children}
    </div>
  )
}
