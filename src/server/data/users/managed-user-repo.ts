import type { Prisma } from '../../../generated/prisma/client.ts'
import type { AuditEvent } from '../../audit.ts'
import type { ManagedUser, ManagedUserRepo, UserSearch } from '../../auth/user-administration.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { nullOnUniqueViolation } from '../postgres/unique-violation.ts'
import { claimAccount } from './claim-account.ts'
import { disableUser, enableUser } from './disable-user.ts'

export function createManagedUserRepo(db: Db): ManagedUserRepo {
  return {
    async search(search) {
      const rows = await db.user.findMany({
        where: { AND: [await emailIs(db, search.email), filterOf(search)] },
        orderBy: { id: 'desc' },
        take: search.limit,
        select: VIEW,
      })
      return rows.map(viewOf)
    },

    async find(id) {
      const row = await db.user.findUnique({ where: { id, deletedAt: null }, select: VIEW })
      return row && viewOf(row)
    },

    async create({ id, email, passwordHash, external, name, quotaBytes, role }, { actor, address, at }) {
      const created = await nullOnUniqueViolation(
        db.$transaction(async (tx) => {
          await tx.user.create({
            data: {
              id,
              email,
              emailVerifiedAt: email === null ? null : at,
              passwordHash,
              externalIssuer: external?.issuer,
              externalId: external?.id,
              name,
              quotaBytes,
              role,
            },
          })
          const details: AuditEvent['details'] = role === 'admin' ? { role } : {}
          await addAudit(sqlIn(tx), { action: 'account.created', actor, userId: id, address, details })
          return true
        }),
      )
      return created !== null
    },

    async update(id, change, by) {
      // First of all, so that a failure of the rest leaves nobody in.
      if (change.disabled === true && !(await disableUser(db, id, by))) return 'notFound'
      const result = await db.$transaction(async (tx) => {
        const user = await tx.user.findUnique({
          where: { id, deletedAt: null },
          select: { email: true, emailVerifiedAt: true, name: true },
        })
        if (!user) return 'notFound'
        const { passwordHash, quotaBytes, name } = change
        if (passwordHash !== undefined) {
          if (user.email === null) return 'external'
          // The administrator vouches for the email: what others put there before is gone.
          const claim = { at: by.at, by: 'operator', name: user.name, passwordHash }
          const claimed = user.emailVerifiedAt === null && (await claimAccount(tx, id, claim))
          if (!claimed)
            await tx.user.update({ where: { id }, data: { passwordHash, sessionEpoch: { increment: 1 } } })
          const { actor, address } = by
          await addAudit(sqlIn(tx), { action: 'password.changed', actor, userId: id, address })
        }
        await tx.user.update({ where: { id }, data: { quotaBytes, name } })
        return 'updated'
      })
      if (result === 'updated' && change.disabled === false) await enableUser(db, id, by)
      return result
    },
  }
}

/**
 * The one user who signs in here with `email`; where there is none, users of the external issuer whose tokens say it.
 * Those may have chosen it themselves, so that they must not stand in for its owner.
 */
async function emailIs(db: Db, email: string | undefined): Promise<Prisma.UserWhereInput> {
  if (email === undefined) return {}
  const owner = await db.user.findUnique({ where: { email, deletedAt: null }, select: { id: true } })
  return owner ? { email } : { displayEmail: { equals: email, mode: 'insensitive' } }
}

function filterOf({ externalId, query, beforeId }: UserSearch): Prisma.UserWhereInput {
  const text = { contains: query, mode: 'insensitive' } as const
  return {
    deletedAt: null,
    AND: [
      { id: { lt: beforeId } },
      externalId === undefined ? {} : { externalId },
      query === undefined
        ? {}
        : {
            OR: [
              { email: text },
              { displayEmail: text },
              { name: text },
              { externalId: text },
              ...idIs(query),
            ],
          },
    ],
  }
}

/** A whole id; PostgreSQL refuses to compare with anything else. */
const idIs = (query: string): Prisma.UserWhereInput[] =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(query) ? [{ id: query }] : []

const VIEW = {
  id: true,
  email: true,
  displayEmail: true,
  name: true,
  externalId: true,
  role: true,
  createdAt: true,
  lastSeenAt: true,
  disabledAt: true,
  quotaBytes: true,
  usedBytes: true,
  reservedBytes: true,
  _count: { select: { files: { where: { state: 'READY', deletedAt: null } }, devices: true } },
} satisfies Prisma.UserSelect

type Row = Prisma.UserGetPayload<{ select: typeof VIEW }>

function viewOf({ displayEmail, disabledAt, _count, ...user }: Row): ManagedUser {
  return {
    id: user.id,
    email: user.email ?? displayEmail,
    name: user.name,
    externalId: user.externalId,
    role: user.role,
    createdAt: user.createdAt,
    lastSeenAt: user.lastSeenAt,
    disabled: disabledAt !== null,
    quotaBytes: user.quotaBytes === null ? null : Number(user.quotaBytes),
    usedBytes: Number(user.usedBytes),
    reservedBytes: Number(user.reservedBytes),
    files: _count.files,
    devices: _count.devices,
  }
}
