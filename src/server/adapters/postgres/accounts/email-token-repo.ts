import type { Prisma } from '../../../../generated/prisma/client.ts'
import type { EmailTokenRepo, TokenUse } from '../../../domain/accounts/email-links.ts'
import type { EmailTokenPurpose } from '../../../domain/accounts/outbox.ts'
import { byUser } from '../../../kernel/audit.ts'
import type { Db, Tx } from '../db.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'
import { claimAccount } from './claim-account.ts'
import { lockEmail, takeEmail } from './take-email.ts'

const BY = 'mail'

const EMAIL = { email: true, claimedEmail: true } satisfies Prisma.UserSelect
const USABLE = { deletedAt: null, disabledAt: null } satisfies Prisma.UserWhereInput

export function createEmailTokenRepo(db: Db): EmailTokenRepo {
  return {
    async create(token) {
      await db.emailToken.create({ data: token })
    },

    async find(hash, purpose, at) {
      const token = await db.emailToken.findFirst({
        where: { hash, purpose, expiresAt: { gt: at }, user: USABLE },
        select: { userId: true, user: { select: EMAIL } },
      })
      const email = token?.user.email ?? token?.user.claimedEmail
      return token && email ? { userId: token.userId, email } : null
    },

    verify: (use) =>
      db.repeatable(async (tx, sql) => {
        const userId = await useToken(tx, sql, use, 'verify')
        if (userId === null || !(await takeEmail(tx, sql, userId, use.at))) return false
        const { count } = await tx.user.updateMany({
          where: { id: userId, emailVerifiedAt: null, ...USABLE },
          data: { emailVerifiedAt: use.at },
        })
        if (count > 0) await addAudit(sql, { action: 'email.verified', ...byUser(userId, use.address) })
        return true
      }),

    claim: (use, next) =>
      db.repeatable(async (tx, sql) => {
        const userId = await useToken(tx, sql, use, 'verify')
        if (userId === null) return null
        const claim = { at: use.at, by: BY, name: null, passwordHash: null }
        if (!(await claimAccount(tx, sql, userId, claim))) return 'verified'
        await tx.emailToken.create({ data: { ...next, userId } })
        await addAudit(sql, { action: 'email.verified', ...byUser(userId, use.address) })
        return 'claimed'
      }),

    resetPassword: (use, passwordHash, { endKeysAndShares }) =>
      db.repeatable(async (tx, sql) => {
        const userId = await useToken(tx, sql, use, 'reset')
        if (userId === null) return false
        if (await claimAccount(tx, sql, userId, { at: use.at, by: BY, name: null, passwordHash }))
          await addAudit(sql, { action: 'email.verified', ...byUser(userId, use.address) })
        else {
          // A verified account belongs to this user. An unverified one of the external issuer is given to no one.
          const { count } = await tx.user.updateMany({
            where: { id: userId, emailVerifiedAt: { not: null }, ...USABLE },
            data: { passwordHash, sessionEpoch: { increment: 1 } },
          })
          if (count === 0) return false
        }
        const details = endKeysAndShares ? await endAll(tx, userId, use.at) : undefined
        await addAudit(sql, { action: 'password.reset', ...byUser(userId, use.address), details })
        return true
      }),

    deleteExpired: (at, limit) => db.sql.run<'deleteExpiredEmailTokens'>`
      DELETE FROM email_tokens WHERE hash IN (
        SELECT hash FROM email_tokens WHERE expires_at <= ${at}
        ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  }
}

/** Ends the user's API keys and shared links, and returns how many. */
async function endAll(tx: Tx, userId: string, at: Date): Promise<{ apiKeys: number; shares: number }> {
  const keys = await tx.apiKey.deleteMany({ where: { userId } })
  const shares = await tx.share.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: at } })
  return { apiKeys: keys.count, shares: shares.count }
}

/** Uses a link and deletes all others of its user. Null: the link is invalid. Of concurrent uses, only one succeeds. */
async function useToken(tx: Tx, sql: Sql, { hash, at }: TokenUse, purpose: EmailTokenPurpose) {
  const token = await tx.emailToken.findFirst({
    where: { hash, purpose, expiresAt: { gt: at }, user: USABLE },
    select: { userId: true, user: { select: EMAIL } },
  })
  if (!token) return null
  // First, because the use of another sign-up's link deletes this one.
  await lockEmail(sql, token.user.email ?? token.user.claimedEmail ?? '')
  const { count } = await tx.emailToken.deleteMany({ where: { hash } })
  if (count === 0) return null
  await tx.emailToken.deleteMany({ where: { userId: token.userId } })
  return token.userId
}
