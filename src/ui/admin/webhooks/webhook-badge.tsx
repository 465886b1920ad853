import type { Webhook } from '@pigeonhole/client/admin'
import { Badge } from '../../components/badge.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'

/** State of a webhook: whether it receives events, and whether its deliveries fail. */
export function WebhookBadge({ webhook: { active, endedAt, failingSince, retrying } }: { webhook: Webhook }) {
  const { t } = useMessages()
  if (endedAt) return <Badge tone="bad">{t('admin.webhooks.ended')}</Badge>
  if (!active) return <Badge>{t('admin.webhooks.inactive')}</Badge>
  if (retrying) return <Badge tone="warning">{t('admin.webhooks.retrying')}</Badge>
  if (failingSince) return <Badge tone="bad">{t('admin.webhooks.failing')}</Badge>
  return <Badge tone="usual">{t('admin.webhooks.active')}</Badge>
}
