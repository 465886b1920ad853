import type { AuthUser, IdentityKey, NewUser, UserRepo } from '../../../domain/accounts/user-repo.ts'
import type { Db } from '../db.ts'
import { nullOnUniqueViolation } from '../errors.ts'
import { claimAccount } from './claim-account.ts'

const FIELDS = {
  id: true,
  email: true,
  name: true,
  emailVerifiedAt: true,
  passwordHash: true,
  sessionEpoch: true,
  disabledAt: true,
} as const

const endsSessions = { sessionEpoch: { increment: 1 } } as const

export function createUserRepo(db: Db): UserRepo {
  return {
    findByEmail: async (email) =>
      authUserOf(await db.user.findUnique({ where: { email, deletedAt: null }, select: FIELDS })),
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
        db.transaction(async (tx, sql) => {
          if (!(await claimAccount(tx, sql, userId, { at, by, name, passwordHash: null }))) return false
          await tx.account.create({ data: { ...identityOf(identity), userId } })
          return true
        }),
      )
      return (await claimed) ?? false
    },
    async markEmailVerified(userId, at) {
      await db.user.updateMany({
        where: { id: userId, emailVerifiedAt: null },
        data: { emailVerifiedAt: at },
      })
    },
  }
}

/** Returns null for users who only sign in elsewhere. */
function authUserOf(
  row: (Omit<AuthUser, 'email'> & { email: string | null }) | null | undefined,
): AuthUser | null {
  return row && row.email !== null ? { ...row, email: row.email } : null
}

/** Returns only the columns of the key, because the caller's object may have more fields. */
function identityOf({ provider, providerAccountId }: IdentityKey): IdentityKey {
  return { provider, providerAccountId }
}

function withIdentity(user: NewUser, identity: IdentityKey | undefined) {
  return identity ? { ...user, accounts: { create: identityOf(identity) } } : user
}
