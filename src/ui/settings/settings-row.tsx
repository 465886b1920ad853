import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconTile } from '../components/icon-tile.tsx'

type SettingsRowProps = {
  /** Phones do without it. */
  icon?: LucideIcon
  title: ReactNode
  actions?: ReactNode
  /** Shown below the row, in its whole width: a form or an error. */
  footer?: ReactNode
  /** Lines below the title. */
  children: ReactNode
}

/**
 * Row of a list in the settings. On phones, only the title shares its line with the actions, so that the lines below have
 * the whole width.
 */
export function SettingsRow({ icon, title, actions, footer, children }: SettingsRowProps) {
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 sm:flex sm:items-center">
        {icon && <IconTile icon={icon} className="max-sm:hidden" />}
        {/* On phones, its parts are cells of the grid. */}
        <div className="min-w-0 flex-1 max-sm:contents">
          {/* At least as high as the button beside it. A shorter title is at the bottom, next to its lines. */}
          <div className={clsx('min-w-0', actions && 'max-sm:flex max-sm:min-h-11 max-sm:items-end')}>
            {title}
          </div>
          <div className="min-w-0 text-sm text-ink-soft tabular-nums max-sm:col-span-full max-sm:row-start-2 max-sm:mt-1">
            {children}
          </div>
        </div>
        {actions && <div className="flex">{actions}</div>}
      </div>
      {footer}
    </li>
  )
}
