import { type Clock, secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { ShareOwner, SharePasswords, ShareRepo } from './ports.ts'
import type { CreateShareInput } from './schema.ts'
import { hashOf, type ShareSecrets } from './share-secrets.ts'

/** Living ones. More are a script that makes one for every visitor. */
export const MAX_SHARES_PER_FILE = 20
/** So that a list has an end. */
export const MAX_SHARES_PER_USER = 1000
const DAY_SECONDS = 86_400

export type SharesDeps = {
  repo: ShareRepo
  secrets: ShareSecrets
  passwords: SharePasswords
  clock: Clock
  baseUrl: string
}

/** What owners do with the links to their files. */
export function createShares({ repo, secrets, passwords, clock, baseUrl }: SharesDeps) {
  const urlOf = (token: string) => `${baseUrl}/s/${token}`

  return {
    /** @throws AppError NOT_FOUND, CONFLICT (too many), UNAUTHORIZED (access has ended since), TOO_MANY_REQUESTS */
    async create(
      owner: ShareOwner,
      { fileId, expiresInDays, password }: CreateShareInput,
      address: string,
    ): Promise<{ id: string; url: string; expiresAt: Date }> {
      // Before a password is hashed, which takes a core for 0.2 s.
      if (!isId(fileId) || !(await repo.hasFile(owner.id, fileId))) throw fileNotFound()
      const passwordHash = password === undefined ? null : await passwords.hash(password, address)
      const id = newId()
      const token = secrets.tokenOf(id)
      const createdAt = clock.now()
      const expiresAt = secondsAfter(createdAt, expiresInDays * DAY_SECONDS)
      const limits = { maxOfFile: MAX_SHARES_PER_FILE, maxOfUser: MAX_SHARES_PER_USER }
      const outcome = await repo.create(
        {
          id,
          hash: hashOf(token),
          fileId,
          userId: owner.id,
          epoch: owner.epoch,
          passwordHash,
          createdAt,
          expiresAt,
        },
        { ...limits, address },
      )
      if (outcome === 'noFile') throw fileNotFound()
      if (outcome === 'accessEnded')
        throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (outcome === 'tooManyOfFile')
        throw tooMany(`A file has at most ${MAX_SHARES_PER_FILE} links that work`)
      if (outcome === 'tooManyOfUser')
        throw tooMany(`A user has at most ${MAX_SHARES_PER_USER} links that work`)
      return { id, url: urlOf(token), expiresAt }
    },

    /** The living ones, newest first. @throws AppError NOT_FOUND: no file of this user's has this id, or it is not ready */
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
        throw new AppError('NOT_FOUND', 'No share of yours has this id.')
    },
  }
}

const fileNotFound = () =>
  new AppError('NOT_FOUND', 'No file of yours that is ready has this fileId. It may have been deleted.')

const tooMany = (limit: string) => new AppError('CONFLICT', `${limit}. Revoke one that is not needed.`)
