import type { AuditEvent } from '../audit.ts'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { AccountDeletion } from './account-deletion.ts'
import type { Passwords } from './password.ts'
import type { Role } from './ports.ts'
import { normalizeEmail } from './schema.ts'
import type { CreateUserInput, ListUsersInput, UpdateUserInput } from './user-administration-schema.ts'

/** A user as administrators see him. */
export type ManagedUser = {
  id: string
  email: string | null
  name: string | null
  externalId: string | null
  role: Role
  createdAt: Date
  lastSeenAt: Date | null
  disabled: boolean
  quotaBytes: number | null
  usedBytes: number
  reservedBytes: number
  files: number
  devices: number
}

export type NewManagedUser = {
  id: string
  email: string | null
  passwordHash: string | null
  external: { issuer: string; id: string } | null
  name: string | null
  quotaBytes: number | null
  role: Role
}

export type UserSearch = {
  email?: string
  externalId?: string
  /** A part of email, name or external id, or the whole id. */
  query?: string
  beforeId: string | undefined
  limit: number
}

export type ManagedUserChange = {
  name?: string | null
  quotaBytes?: number | null
  disabled?: boolean
  /** Of a new password, which ends all sessions. */
  passwordHash?: string
}

/** Who administers, for audit entries, and when. */
export type AdministeredBy = Pick<AuditEvent, 'actor' | 'address'> & { at: Date }

/** No method finds users whose deletion has begun. */
export type ManagedUserRepo = {
  /** Newest first. */
  search(search: UserSearch): Promise<ManagedUser[]>
  find(id: string): Promise<ManagedUser | null>
  /** False: the email or the external id is taken. */
  create(user: NewManagedUser, by: AdministeredBy): Promise<boolean>
  /** `external`: he has no email to use a password with. */
  update(
    id: string,
    change: ManagedUserChange,
    by: AdministeredBy,
  ): Promise<'updated' | 'notFound' | 'external'>
}

/** `userId`: of the administrator; null: whoever knows the admin secret. */
export type Administering = Pick<AuditEvent, 'actor' | 'address'> & { userId: string | null }

export type UserAdministrationDeps = {
  managed: ManagedUserRepo
  accountDeletion: AccountDeletion
  passwords: Passwords
  clock: Clock
  /** Mails a new user a link that sets a password. False: too many mails wait. Undefined: there is no mail here. */
  invite: ((user: { id: string; email: string }, language: string) => boolean) | undefined
  /** Of the JWTs that are accepted; undefined: none are. */
  issuer: string | undefined
}

/** What administrators do with users. */
export function createUserAdministration(deps: UserAdministrationDeps) {
  const { managed, accountDeletion, passwords, clock, issuer, invite } = deps
  const by = ({ actor, address }: Administering): AdministeredBy => ({ actor, address, at: clock.now() })

  /** @throws AppError NOT_FOUND */
  async function find(id: string): Promise<ManagedUser> {
    const user = isId(id) ? await managed.find(id) : null
    if (!user) throw noSuchUser()
    return user
  }

  return {
    find,

    /**
     * Newest first.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async list({ email, cursor, limit, ...search }: ListUsersInput) {
      if (cursor !== undefined && !isId(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not the nextCursor of a page.', {
          fieldErrors: { cursor: ['must be the nextCursor of the page before'] },
        })
      const found = await managed.search({
        ...search,
        ...(email !== undefined && { email: normalizeEmail(email) }),
        beforeId: cursor,
        limit: limit + 1,
      })
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },

    /**
     * `language`: of the invitation.
     * @throws AppError BAD_REQUEST: no issuer or no mail is configured, CONFLICT: the email or externalId is taken
     */
    async create(
      input: CreateUserInput,
      administering: Administering,
      language: string,
    ): Promise<ManagedUser> {
      const { email = null, password, externalId, name = null, quotaBytes = null, role = 'user' } = input
      if (externalId !== undefined && issuer === undefined)
        throw new AppError('BAD_REQUEST', 'externalId needs AUTH_JWT_ISSUER, which is not configured.', {
          fieldErrors: { externalId: ['needs AUTH_JWT_ISSUER, which is not configured'] },
        })
      if (input.invite && !invite)
        throw new AppError('BAD_REQUEST', 'invite needs SMTP_URL, which is not configured.', {
          fieldErrors: { invite: ['needs SMTP_URL, which is not configured: give a password'] },
        })
      const id = newId()
      const external = externalId !== undefined && issuer !== undefined ? { issuer, id: externalId } : null
      const passwordHash = password === undefined ? null : await passwords.hash(password)
      const user = { id, email, passwordHash, external, name, quotaBytes, role }
      if (!(await managed.create(user, by(administering))))
        throw new AppError('CONFLICT', 'There is a user with this email or externalId already.')
      if (input.invite && email !== null && !invite?.({ id, email }, language)) throw notInvited()
      return find(id)
    },

    /**
     * A new password and `disabled` end all sessions, in all replicas.
     * @throws AppError NOT_FOUND, BAD_REQUEST: a password for a user without an email, CONFLICT: to disable oneself
     */
    async update(id: string, input: UpdateUserInput, administering: Administering): Promise<ManagedUser> {
      const { password, ...change } = input
      if (change.disabled === true && id === administering.userId) throw notYourself('disable')
      await find(id)
      const passwordHash = password === undefined ? undefined : await passwords.hash(password)
      const result = await managed.update(
        id,
        { ...change, ...(passwordHash && { passwordHash }) },
        by(administering),
      )
      if (result === 'notFound') throw noSuchUser()
      if (result === 'external')
        throw new AppError('BAD_REQUEST', 'This user has no email here and signs in elsewhere.', {
          fieldErrors: { password: ['cannot be set: the user has no email to sign in with'] },
        })
      return find(id)
    },

    /**
     * As when the user deletes his account. Returns when it is closed; its files may take longer.
     * @throws AppError NOT_FOUND, CONFLICT: to delete oneself
     */
    async delete(id: string, administering: Administering): Promise<void> {
      if (id === administering.userId) throw notYourself('delete')
      await find(id)
      await accountDeletion.deleteAccount(id, administering.address, administering.actor)
    },
  }
}

const notInvited = () =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'The user was created, but too many mails wait to be sent. Let the user ask for a link at /forgot-password.',
  )

const noSuchUser = () => new AppError('NOT_FOUND', 'There is no user with this id.')

const notYourself = (what: string) =>
  new AppError(
    'CONFLICT',
    `You cannot ${what} yourself here. Let another administrator do it, or use the admin secret.`,
  )
