import { Prisma } from '../../generated/prisma/client.ts'
import type { AuthUser, UserRepo } from '../auth/ports.ts'
import type { Db } from './prisma.ts'

const FIELDS = { id: true, email: true, name: true, passwordHash: true, sessionEpoch: true } as const

export function createUserRepo(db: Db): UserRepo {
  return {
    findByEmail: (email) => db.user.findUnique({ where: { email, deletedAt: null }, select: FIELDS }),
    findById: (id) => db.user.findUnique({ where: { id, deletedAt: null }, select: FIELDS }),
    findSession: (id, epoch) =>
      db.user.findUnique({
        where: { id, sessionEpoch: epoch, deletedAt: null },
        select: { id: true, email: true, name: true },
      }),
    create: (user) => unlessTaken(db.user.create({ data: user, select: FIELDS })),
    async replaceHash(id, from, to) {
      await db.user.updateMany({ where: { id, passwordHash: from }, data: { passwordHash: to } })
    },
  }
}

/** Null instead of a unique violation: two sign-ups with one email may pass any check before. */
async function unlessTaken(creation: Promise<AuthUser>): Promise<AuthUser | null> {
  try {
    return await creation
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null
    throw error
  }
}
