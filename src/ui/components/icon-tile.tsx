import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'

/** Icon at the start of a list row. */
export function IconTile({ icon: Icon, className }: { icon: LucideIcon; className?: string }) {
  return (
    <span
      className={clsx(
        'flex size-10 shrink-0 items-center justify-center rounded-lg bg-sunken text-ink-soft',
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-5" />
    </span>
  )
}
