import type { AuditEvent } from '../../../kernel/audit.ts'
import type { Tx } from '../db.ts'
import { cancelAllOfUser } from '../push/messages/cancellation.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'

/** Ends all access to an account, deletes what the user has except files, and frees the email and external identity. */
export async function closeAccount(
  tx: Tx,
  sql: Sql,
  id: string,
  { actor, address, at }: Pick<AuditEvent, 'actor' | 'address'> & { at: Date },
): Promise<void> {
  await lockDevices(sql, id)
  await sql.write<'beginDeletion'>`
    UPDATE users SET deleted_at = ${at}::timestamptz, email = NULL, claimed_email = NULL, external_issuer = NULL,
      external_id = NULL, display_email = NULL, name = NULL, password_hash = NULL, session_epoch = session_epoch + 1
    WHERE id = ${id}::uuid AND deleted_at IS NULL`
  // Deleted with the user's row, because a token can have hundreds of thousands of messages that refer to it. Revoke
  // tokens before canceling, in the order in which a single token is revoked.
  await tx.pushToken.updateMany({ where: { userId: id, revokedAt: null }, data: { revokedAt: at } })
  // Cancel before deleting devices: workers lock a message before its devices.
  const cancelled = await cancelAllOfUser(sql, id)
  await deleteBelongings(tx, id)
  await addAudit(sql, { action: 'account.deleted', actor, userId: id, address, details: { cancelled } })
}

/**
 * Waits for registrations of the user's devices in progress, which have already checked the session. Later ones wait,
 * then check it again. Call it before locking the user's row, as registrations do.
 */
export async function lockDevices(sql: Sql, userId: string): Promise<void> {
  await sql.run<'lockDevices'>`SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0))`
}

/** Deletes what a user has, except files, push tokens and the inbox. */
export async function deleteBelongings(tx: Tx, userId: string) {
  const where = { userId }
  const identities = await tx.account.deleteMany({ where })
  await tx.apiKey.deleteMany({ where })
  await tx.passkey.deleteMany({ where })
  await tx.recoveryCode.deleteMany({ where })
  await tx.share.deleteMany({ where })
  await tx.emailToken.deleteMany({ where })
  const devices = await tx.device.deleteMany({ where })
  await tx.movedDevice.deleteMany({ where })
  await tx.notificationPreference.deleteMany({ where })
  await tx.topicSubscription.deleteMany({ where })
  await tx.messageTemplate.deleteMany({ where })
  return { identities: identities.count, devices: devices.count }
}
