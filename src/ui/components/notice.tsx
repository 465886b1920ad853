import clsx from 'clsx'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const TONES = {
  error: { colors: 'bg-danger-soft text-danger', Icon: CircleAlert },
  warning: { colors: 'bg-warn-soft text-warn', Icon: TriangleAlert },
  info: { colors: 'bg-accent-soft text-ink', Icon: Info },
}

type NoticeProps = {
  tone: keyof typeof TONES
  children: ReactNode
  action?: ReactNode
  id?: string
  /** Not announced here, because the text is announced elsewhere or is not new. */
  silent?: boolean
  className?: string
}

/** A message with an optional action. Screen readers announce errors and warnings at once, other messages when idle. */
export function Notice({ tone, children, action, id, silent, className }: NoticeProps) {
  const { colors, Icon } = TONES[tone]
  return (
    <div
      id={id}
      role={silent ? undefined : tone === 'info' ? 'status' : 'alert'}
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-3.5 py-2.5 text-sm forced-colors:border',
        colors,
        className,
      )}
    >
      <div className="flex min-w-0 flex-1 basis-56 gap-3">
        <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0 flex-1">{children}</div>
      </div>
      {action}
    </div>
  )
}
