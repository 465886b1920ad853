import clsx from 'clsx'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { HealthCheck } from './health-checks.ts'

const ICONS = {
  FAIL: { Icon: CircleAlert, color: 'text-danger' },
  warn: { Icon: TriangleAlert, color: 'text-warn' },
  ok: { Icon: CircleCheck, color: 'text-accent' },
}

/** Status of a check, as decoration: a text beside it says the same. `small`: for a line of a list. */
export function StatusIcon({ status, small }: { status: HealthCheck['status']; small?: boolean }) {
  const { Icon, color } = ICONS[status]
  return (
    <Icon aria-hidden="true" className={clsx('shrink-0', small ? 'mt-0.5 mr-1 size-4' : 'size-5', color)} />
  )
}
