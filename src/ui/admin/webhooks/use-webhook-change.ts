import type { Webhook } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useAnnouncer } from '../../context/announcer.tsx'
import { ADMIN_KEYS } from '../keys.ts'

/** Returns a function that shows and announces a changed webhook. */
export function useWebhookChange() {
  const queries = useQueryClient()
  const { announce } = useAnnouncer()
  return (changed: Webhook, announcement: string) => {
    queries.setQueryData(ADMIN_KEYS.webhook(changed.id), changed)
    announce(announcement)
    return queries.invalidateQueries({ queryKey: ADMIN_KEYS.webhooks })
  }
}
