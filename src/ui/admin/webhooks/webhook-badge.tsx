import type { Webhook } from '@pigeonhole/client/admin'
import { Badge, type BadgeTone } from '../../components/badge.tsx'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'

const STATES = {
  ended: { label: 'admin.webhooks.ended', tone: 'bad' },
  failing: { label: 'admin.webhooks.failing', tone: 'bad' },
  retrying: { label: 'admin.webhooks.retrying', tone: 'warning' },
  inactive: { label: 'admin.webhooks.inactive', tone: 'neutral' },
  active: { label: 'admin.webhooks.active', tone: 'usual' },
} as const satisfies Record<string, { label: PlainMessageKey; tone: BadgeTone }>

/** A webhook's state. The health page uses the same words. */
export function StateBadge({ state }: { state: keyof typeof STATES }) {
  const { t } = useMessages()
  const { label, tone } = STATES[state]
  return <Badge tone={tone}>{t(label)}</Badge>
}

/** State of a webhook: whether it receives events, and whether its deliveries fail. */
export function WebhookBadge({ webhook: { active, endedAt, failingSince, retrying } }: { webhook: Webhook }) {
  if (endedAt) return <StateBadge state="ended" />
  if (!active) return <StateBadge state="inactive" />
  // All attempts fail, whether or not some are repeated.
  if (failingSince) return <StateBadge state="failing" />
  return <StateBadge state={retrying ? 'retrying' : 'active'} />
}
