import type { Webhook } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** Badge that says whether a webhook receives events and whether deliveries succeed. */
export function WebhookBadge({ webhook: { active, endedAt, failingSince } }: { webhook: Webhook }) {
  const { t } = useMessages()
  if (endedAt) return <Badge tone="bad">{t('admin.webhooks.ended')}</Badge>
  if (!active) return <Badge>{t('admin.webhooks.inactive')}</Badge>
  if (failingSince) return <Badge tone="warning">{t('admin.webhooks.failing')}</Badge>
  return <Badge tone="good">{t('admin.webhooks.active')}</Badge>
}
