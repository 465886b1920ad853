import type { Prisma } from '../../../generated/prisma/client.ts'
import { userActor } from '../../audit.ts'
import type { EmailTokenPurpose, EmailTokenRepo, TokenUse } from '../../auth/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { claimAccount } from './claim-account.ts'

const BY = 'mail'

export function createEmailTokenRepo(db: Db): EmailTokenRepo {
  return {
    async create(token) {
      await db.emailToken.create({ data: token })
    },

    async find(hash, purpose, at) {
      const token = await db.emailToken.findFirst({
        where: { hash, purpose, expiresAt: { gt: at }, user: USABLE },
        select: { userId: true, user: { select: { email: true } } },
      })
      return token?.user.email ? { userId: token.userId, email: token.user.email } : null
    },

    prove: (use) =>
      db.$transaction(async (tx) => {
        const userId = await take(tx, use, 'verify')
        if (userId === null) return false
        const { count } = await tx.user.updateMany({
          where: { id: userId, emailVerifiedAt: null, ...USABLE },
          data: { emailVerifiedAt: use.at },
        })
        if (count > 0) await addAudit(sqlIn(tx), verified(userId, use))
        return true
      }),

    claim: (use, next) =>
      db.$transaction(async (tx) => {
        const userId = await take(tx, use, 'verify')
        if (userId === null) return null
        const claim = { at: use.at, by: BY, name: null, passwordHash: null }
        if (!(await claimAccount(tx, userId, claim))) return 'proven'
        await tx.emailToken.create({ data: { ...next, userId } })
        await addAudit(sqlIn(tx), verified(userId, use))
        return 'claimed'
      }),

    resetPassword: (use, passwordHash) =>
      db.$transaction(async (tx) => {
        const userId = await take(tx, use, 'reset')
        if (userId === null) return false
        const sql = sqlIn(tx)
        if (await claimAccount(tx, userId, { at: use.at, by: BY, name: null, passwordHash }))
          await addAudit(sql, verified(userId, use))
        else {
          // Proven, so it is its owner's; one of the external issuer that is not is given to nobody.
          const { count } = await tx.user.updateMany({
            where: { id: userId, emailVerifiedAt: { not: null }, ...USABLE },
            data: { passwordHash, sessionEpoch: { increment: 1 } },
          })
          if (count === 0) return false
        }
        await addAudit(sql, {
          action: 'password.reset',
          actor: userActor(userId),
          userId,
          address: use.address,
        })
        return true
      }),

    deleteExpired: (at, limit) => db.sql.run`
      DELETE FROM email_tokens WHERE hash IN (
        SELECT hash FROM email_tokens WHERE expires_at <= ${at}
        ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  }
}

const USABLE = { deletedAt: null, disabledAt: null } satisfies Prisma.UserWhereInput

/** Uses up the link, and ends all others of its user. Null: it is not good; of two uses at once one gets this. */
async function take(
  tx: Prisma.TransactionClient,
  { hash, at }: TokenUse,
  purpose: EmailTokenPurpose,
): Promise<string | null> {
  const token = await tx.emailToken.findFirst({
    where: { hash, purpose, expiresAt: { gt: at }, user: USABLE },
    select: { userId: true },
  })
  if (!token) return null
  const { count } = await tx.emailToken.deleteMany({ where: { hash } })
  if (count === 0) return null
  await tx.emailToken.deleteMany({ where: { userId: token.userId } })
  return token.userId
}

function verified(userId: string, { address }: TokenUse) {
  return { action: 'email.verified', actor: userActor(userId), userId, address } as const
}
