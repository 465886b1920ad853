import { type Clock, daysAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import { countUpTo, type RateCounter } from '../../kernel/rate-counter.ts'
import { createSweepRounds } from '../../kernel/sweep-rounds.ts'
import { hashToken } from '../../kernel/tokens.ts'
import type { CreateShareInput } from './schema.ts'
import type { ShareRepo } from './share-repo.ts'
import type { ShareSecrets } from './share-secrets.ts'

/** Port for hashing and verifying passwords in the queue of sign-ins, limited by share and address. */
export type SharePasswords = {
  hash(password: string, address: string): Promise<string>
  /** @throws AppError FORBIDDEN (wrong password), TOO_MANY_REQUESTS */
  verify(attempt: { shareId: string; address: string }, password: string, stored: string): Promise<void>
}

/** Maximum number of active shares per file. An owner who needs more probably has a script that creates one per visitor. */
export const MAX_SHARES_PER_FILE = 20
/** Bounds the length of the list. */
const MAX_SHARES_PER_USER = 1000
/** Revoked ones count, because their rows stay for a month, and each writes two audit entries. */
const MAX_NEW_SHARES_PER_DAY = 1000
/** Time for which an inactive share keeps its row, so that revoking it again gets the same response. */
const KEEP_INACTIVE_DAYS = 30

export type SharesDeps = {
  repo: ShareRepo
  secrets: ShareSecrets
  passwords: SharePasswords
  /** Counts by user and day. */
  newShares: Pick<RateCounter, 'increment'>
  clock: Clock
  baseUrl: string
}

export type Shares = ReturnType<typeof createShares>

/** Manages the links to an owner's files. */
export function createShares({ repo, secrets, passwords, newShares, clock, baseUrl }: SharesDeps) {
  const urlOf = (token: string) => `${baseUrl}/s/${token}`

  return {
    /** @throws AppError NOT_FOUND, CONFLICT (too many), UNAUTHORIZED (access has ended since), TOO_MANY_REQUESTS */
    async create(
      owner: { id: string; epoch: number },
      { fileId, expiresInDays, password }: CreateShareInput,
      address: string,
    ): Promise<{ id: string; url: string; expiresAt: Date }> {
      // Check before hashing a password, which takes a core for 0.2 s.
      if (!isId(fileId) || !(await repo.hasFile(owner.id, fileId))) throw fileNotFound()
      const passwordHash = password === undefined ? null : await passwords.hash(password, address)
      const id = newId()
      const token = secrets.tokenOf(id)
      const hash = hashToken(token)
      const createdAt = clock.now()
      const expiresAt = daysAfter(createdAt, expiresInDays)
      const { id: userId, epoch } = owner
      const onNew = () =>
        countUpTo(
          MAX_NEW_SHARES_PER_DAY,
          newShares,
          userId,
          `You can create at most ${MAX_NEW_SHARES_PER_DAY} links per day, including revoked ones. Try again later.`,
        )
      const outcome = await repo.create(
        { id, hash, fileId, userId, epoch, passwordHash, createdAt, expiresAt },
        { maxOfFile: MAX_SHARES_PER_FILE, maxOfUser: MAX_SHARES_PER_USER, address, onNew },
      )
      if (outcome === 'noFile') throw fileNotFound()
      if (outcome === 'accessEnded')
        throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (outcome === 'tooManyOfFile')
        throw tooMany(`You can have at most ${MAX_SHARES_PER_FILE} active links per file`)
      if (outcome === 'tooManyOfUser')
        throw tooMany(`You can have at most ${MAX_SHARES_PER_USER} active links in total`)
      return { id, url: urlOf(token), expiresAt }
    },

    /** Lists active shares, newest first. @throws AppError NOT_FOUND if the user has no READY file with this ID */
    async list(userId: string, fileId?: string) {
      if (fileId !== undefined && (!isId(fileId) || !(await repo.hasFile(userId, fileId))))
        throw fileNotFound()
      const shares = await repo.list(userId, fileId ?? null, clock.now())
      return {
        items: shares.map(({ hash, passwordHash, ...share }) => {
          const token = secrets.findToken(share.id, hash)
          return { ...share, url: token === null ? null : urlOf(token), hasPassword: passwordHash !== null }
        }),
      }
    },

    /** Idempotent. @throws AppError NOT_FOUND */
    async revoke(userId: string, id: string, address: string): Promise<void> {
      if (!isId(id) || !(await repo.revoke(userId, id, { at: clock.now(), address })))
        throw new AppError('NOT_FOUND', 'Link not found.')
    },
  }
}

const fileNotFound = () =>
  new AppError('NOT_FOUND', 'File not found, or not ready. It may have been deleted.')

const tooMany = (limit: string) => new AppError('CONFLICT', `${limit}. Revoke one you no longer need.`)

type ShareSweeperDeps = { repo: Pick<ShareRepo, 'prune'>; clock: Clock; log: Pick<Logger, 'warn'> }

/** Deletes the rows of inactive shares, about once an hour in each replica. */
export function createShareSweeper({ repo, clock, log }: ShareSweeperDeps) {
  return createSweepRounds({
    everyMs: 3_600_000,
    work: (inBatches) => inBatches((limit) => repo.prune(daysAfter(clock.now(), -KEEP_INACTIVE_DAYS), limit)),
    onError: (err) => log.warn({ err }, 'could not delete inactive shares'),
  })
}
