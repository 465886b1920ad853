import type { MessageView } from '../../../../domain/push/messages/schema.ts'
import type { Row } from '../../sql.ts'

/** Converts a row of `push_messages`. */
export function messageView(row: Row<'findMessage'>): MessageView {
  return {
    id: row.id,
    status: row.scheduled && row.send_at && !row.cancelled_at ? 'scheduled' : row.status,
    audience: { ios: row.audience_ios, android: row.audience_android, web: row.audience_web },
    sent: row.sent,
    failed: row.failed,
    removed: row.removed,
    failures: row.failures,
    ...(row.send_at && { sendAt: row.send_at.toISOString() }),
  }
}
