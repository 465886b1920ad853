import type { Recipient } from '../../../../domain/push/delivery/target.ts'
import type { Row } from '../../sql.ts'

/** Converts a row of a statement that reads recipients. */
export function recipientOf(row: Row<'readRange'>): Recipient {
  const { p256dh, auth, service, ...recipient } = row
  return p256dh !== null && auth !== null && service !== null
    ? { ...recipient, webPush: { p256dh, auth, service } }
    : recipient
}
