import type { AuthUser, IdentityKey, NewUser, UserRepo } from '../../../domain/accounts/user-repo.ts'
import type { Db } from '../db.ts'
import { nullOnUniqueViolation } from '../errors.ts'
import { claimAccount } from './claim-account.ts'
import { takeEmail } from './take-email.ts'

const FIELDS = {
  id: true,
  email: true,
  name: true,
  emailVerifiedAt: true,
  passwordHash: true,
  sessionEpoch: true,
  disabledAt: true,
  claimedEmail: true,
  verifyBy: true,
} as const

const endsSessions = { sessionEpoch: { increment: 1 } } as const

export function createUserRepo(db: Db): UserRepo {
  return {
    async findAllByEmail(email) {
      const where = { OR: [{ email }, { claimedEmail: email }], deletedAt: null }
      const found = await db.user.findMany({
        where,
        select: FIELDS,
        orderBy: [{ email: 'asc' }, { id: 'desc' }],
      })
      return found.flatMap((row) => authUserOf(row) ?? [])
    },
    findById: async (id) =>
      authUserOf(await db.user.findUnique({ where: { id, deletedAt: null }, select: FIELDS })),
    create: async (user, identity) =>
      authUserOf(
        await nullOnUniqueViolation(db.user.create({ data: withIdentity(user, identity), select: FIELDS })),
      ),

    async replaceHash(id, from, to) {
      await db.user.updateMany({ where: { id, passwordHash: from }, data: { passwordHash: to } })
    },
    async changePassword({ id, epoch }, from, to) {
      const [changed] = await db.user.updateManyAndReturn({
        where: { id, sessionEpoch: epoch, passwordHash: from, deletedAt: null },
        data: { passwordHash: to, ...endsSessions },
        select: FIELDS,
      })
      return authUserOf(changed)
    },
    async endSessions(id) {
      await db.user.updateMany({ where: { id }, data: endsSessions })
    },

    async rename({ id, epoch }, name) {
      const where = { id, sessionEpoch: epoch, deletedAt: null }
      return (await db.user.updateMany({ where, data: { name } })).count > 0
    },

    async findByIdentity(key) {
      const where = { provider_providerAccountId: identityOf(key), user: { deletedAt: null } }
      return authUserOf((await db.account.findUnique({ where, select: { user: { select: FIELDS } } }))?.user)
    },
    async providersOf(userId) {
      const found = await db.account.findMany({ where: { userId }, select: { provider: true } })
      return found.map(({ provider }) => provider)
    },
    async link(userId, key) {
      return (
        (await nullOnUniqueViolation(db.account.create({ data: { ...identityOf(key), userId } }))) !== null
      )
    },
    async claim(userId, identity, at) {
      const { provider: by, name } = identity
      const claimed = nullOnUniqueViolation(
        db.repeatable(async (tx, sql) => {
          if (!(await claimAccount(tx, sql, userId, { at, by, name, passwordHash: null }))) return false
          await tx.account.create({ data: { ...identityOf(identity), userId } })
          return true
        }),
      )
      return (await claimed) ?? false
    },
    markEmailVerified: (userId, at) =>
      db.repeatable(async (tx, sql) => {
        if (!(await takeEmail(tx, sql, userId, at))) return
        const where = { id: userId, emailVerifiedAt: null, deletedAt: null }
        await tx.user.updateMany({ where, data: { emailVerifiedAt: at } })
      }),
  }
}

type UserRow = Omit<AuthUser, 'email' | 'isPending' | 'isClaim'> & {
  email: string | null
  claimedEmail: string | null
  verifyBy: Date | null
}

/** Returns null for users who only sign in elsewhere. */
function authUserOf(row: UserRow | null | undefined): AuthUser | null {
  if (!row) return null
  const { email, claimedEmail, verifyBy, ...user } = row
  const stated = email ?? claimedEmail
  if (stated === null) return null
  const isPending = verifyBy !== null && user.emailVerifiedAt === null
  return { ...user, email: stated, isPending, isClaim: email === null }
}

/** Returns only the columns of the key, because the caller's object may have more fields. */
function identityOf({ provider, providerAccountId }: IdentityKey): IdentityKey {
  return { provider, providerAccountId }
}

function withIdentity({ isClaim, email, ...user }: NewUser, identity: IdentityKey | undefined) {
  const data = { ...user, ...(isClaim ? { claimedEmail: email } : { email }) }
  return identity ? { ...data, accounts: { create: identityOf(identity) } } : data
}
