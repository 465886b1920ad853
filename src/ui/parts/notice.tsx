import clsx from 'clsx'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const TONES = {
  error: { look: 'bg-danger-soft text-danger', Icon: CircleAlert },
  warning: { look: 'bg-warn-soft text-warn', Icon: TriangleAlert },
  info: { look: 'bg-accent-soft text-ink', Icon: Info },
}

type NoticeProps = { tone: keyof typeof TONES; children: ReactNode; action?: ReactNode; className?: string }

/** Something to know about, with what can be done. Faults and warnings are read out at once, the rest in turn. */
export function Notice({ tone, children, action, className }: NoticeProps) {
  const { look, Icon } = TONES[tone]
  return (
    <div
      role={tone === 'info' ? 'status' : 'alert'}
      className={clsx(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-3.5 py-2.5 text-sm forced-colors:border',
        look,
        className,
      )}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  )
}
