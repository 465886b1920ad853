import { z } from 'zod'
import type { Audit, AuditEvent } from '../../kernel/audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { pageInput, pageOf, readPage } from '../../kernel/page.ts'
import { searchText, trimmedText } from '../../kernel/text.ts'
import { hasFields, jsonTime } from '../../kernel/validation.ts'
import type { AccountDeletion } from './account-deletion.ts'
import type { EmailLinks } from './email-links.ts'
import { type FindByExternalId, issuerOfNewUsers } from './external-users.ts'
import type { Notices } from './notices.ts'
import type { Passwords } from './password.ts'
import type { ExternalUser, SessionUser } from './principal.ts'
import { requireRecentSignIn } from './recent-sign-in.ts'
import { emailSchema, newPasswordSchema, normalizeEmail } from './schema.ts'
import type { UserRepo } from './user-repo.ts'

const quotaBytes = z
  .number()
  .refine(
    (n) => Number.isSafeInteger(n) && n >= 0,
    `must be a whole number of bytes from 0 to ${Number.MAX_SAFE_INTEGER}`,
  )
  .meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const email = emailSchema.meta({ type: 'string', format: 'email', maxLength: 254 })
const password = newPasswordSchema.meta({ minLength: 12, maxLength: 128 })
const name = trimmedText(100)
const externalId = trimmedText(255).meta({
  description: "Your app's ID for the user. With AUTH_JWT_ISSUER, the `sub` of its tokens.",
})
const role = z.enum(['user', 'admin'])

const USER_SORTS = ['newest', 'oldest', 'name', 'storage', 'lastSeen'] as const

const USER_STATUSES = ['active', 'disabled', 'unverified'] as const

/** Query of GET /api/admin/users. */
export const listUsersInput = z.strictObject({
  email: searchText(254).optional(),
  externalId: searchText(255).optional(),
  /** Part of the email, name or external ID, or the whole ID. */
  query: searchText(254).optional(),
  role: role.optional(),
  status: z.enum(USER_STATUSES).optional().meta({
    description: '`unverified`: the user has not verified the email. Such users can also be active.',
  }),
  sort: z.enum(USER_SORTS).optional().meta({
    description:
      'Default: `newest`. `name`: by email, or else name or ID, A to Z. `storage`: largest first. `lastSeen`: latest first.',
  }),
  withTotal: z.enum(['true', 'false']).optional().meta({
    description: '`true`: the response also has `total`, the number of users on all pages.',
  }),
  ...pageInput.shape,
})

/** Body of POST /api/admin/users. */
export const createUserInput = z
  .strictObject({
    email: email.optional(),
    password: password.optional(),
    externalId: externalId.optional(),
    name: name.optional(),
    quotaBytes: quotaBytes.nullable().optional(),
    role: role.optional(),
    invite: z.literal(true, { error: 'must be true, or left out' }).optional().meta({
      description: 'Emails the user a link to set a password. Needs SMTP_URL.',
    }),
  })
  .refine((input) => input.email !== undefined || input.externalId !== undefined, {
    path: ['email'],
    error: 'is missing: give an email, an externalId, or both',
  })
  .refine((input) => input.password === undefined || input.email !== undefined, {
    path: ['password'],
    error: 'needs an email to sign in with',
  })
  .refine((input) => !input.invite || (input.email !== undefined && input.password === undefined), {
    path: ['invite'],
    error: 'needs an email, and no password: the user chooses one',
  })
  .meta({
    anyOf: [{ required: ['email'] }, { required: ['externalId'] }],
    dependentRequired: { password: ['email'], invite: ['email'] },
    not: hasFields('password', 'invite'),
    examples: [{ email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' }],
  })

/** Body of PATCH /api/admin/users/{id}. */
export const updateUserInput = z
  .strictObject({
    name: name.nullable().optional(),
    quotaBytes: quotaBytes.nullable().optional(),
    disabled: z.boolean().optional(),
    password: password.optional(),
    role: role.optional(),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'must change something')
  .meta({ minProperties: 1, examples: [{ disabled: true }] })

/** User as shown to administrators. */
export const managedUserOutput = z
  .object({
    id: z.string(),
    /** For a user of the external issuer, the email in its tokens. */
    email: z.string().nullable(),
    /** False: the user signed up with the email, which can be someone else's. Null: the user has no email here. */
    emailVerified: z.boolean().nullable(),
    name: z.string().nullable(),
    externalId: z.string().nullable(),
    role,
    createdAt: jsonTime,
    lastSeenAt: jsonTime.nullable(),
    disabled: z.boolean(),
    /** Null: DEFAULT_STORAGE_QUOTA_BYTES. */
    quotaBytes: z.number().nullable(),
    usedBytes: z.number(),
    reservedBytes: z.number(),
    /** Number of ready files. */
    files: z.number(),
    devices: z.number(),
  })
  .meta({
    id: 'User',
    examples: [
      {
        id: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f',
        email: 'ada@example.com',
        emailVerified: true,
        name: 'Ada',
        externalId: null,
        role: 'user',
        createdAt: '2026-11-21T12:00:00.000Z',
        lastSeenAt: null,
        disabled: false,
        quotaBytes: null,
        usedBytes: 0,
        reservedBytes: 0,
        files: 0,
        devices: 0,
      },
    ],
  })

export const listUsersOutput = pageOf(managedUserOutput).extend({
  /** Number of users on all pages. Missing unless `withTotal`, and on an empty page after the first. */
  total: z.number().optional(),
})

export const deletedUserOutput = z
  .object({ id: z.string() })
  .meta({ examples: [{ id: '019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f' }] })

export type ManagedUser = z.input<typeof managedUserOutput>
type ListUsersInput = z.output<typeof listUsersInput>
type CreateUserInput = z.output<typeof createUserInput>
type UpdateUserInput = z.output<typeof updateUserInput>

export type UserSearch = Omit<ListUsersInput, 'cursor' | 'withTotal'> & {
  beforeId: string | undefined
  withTotal: boolean
}

type NewManagedUser = Pick<ManagedUser, 'id' | 'email' | 'name' | 'quotaBytes' | 'role'> & {
  passwordHash: string | null
  external: { issuer: string; id: string } | null
}

/** `passwordHash`: hash of a new password, which ends all sessions. */
type ManagedUserChange = Omit<UpdateUserInput, 'password'> & { passwordHash?: string }

/** The calling administrator. `userId` and `user` are null with the admin secret. */
type AdminActor = Pick<AuditEvent, 'actor' | 'address'> & {
  userId: string | null
  user: Pick<SessionUser | ExternalUser, 'via' | 'signedInAt'> | null
  /** Undefined or null without a server key. */
  serverKeyId?: string | null
}

type AdminAction = Omit<AdminActor, 'user' | 'serverKeyId'> & { at: Date }

/** No method finds users whose deletion has begun. */
export type ManagedUserRepo = {
  /**
   * Sorted by `sort`. `beforeId`: the last user of the previous page. `total`: number of users that match, on all pages;
   * undefined without `withTotal`, and on an empty page after the first.
   */
  search(search: UserSearch): Promise<{ users: ManagedUser[]; total: number | undefined }>
  find(id: string): Promise<ManagedUser | null>
  /** Deletes sign-ups that have not verified the email. Returns false if the email or the external ID is taken. */
  create(user: NewManagedUser, by: AdminAction): Promise<boolean>
  /**
   * `external`: the user has no email to use a password with. `emailTaken`: another account has the email that this user
   * signed up with. `unverified`: a user who has not verified the email cannot become an administrator.
   */
  update(
    id: string,
    change: ManagedUserChange,
    by: AdminAction,
  ): Promise<'updated' | 'notFound' | 'external' | 'emailTaken' | 'unverified'>
}

type UserAdministrationDeps = {
  managed: ManagedUserRepo
  users: Pick<UserRepo, 'endSessions'>
  audit: Pick<Audit, 'record'>
  accountDeletion: AccountDeletion
  passwords: Passwords
  clock: Clock
  /** Undefined: this service sends no email. */
  emailLinks: Pick<EmailLinks, 'invite' | 'sendReset'> | undefined
  notices: Pick<Notices, 'newPassword'>
  /** AUTH_JWT_ISSUER, or undefined without one. */
  issuer: string | undefined
  findByExternalId: FindByExternalId
}

export type UserAdministration = ReturnType<typeof createUserAdministration>

/** Manages users for administrators. */
export function createUserAdministration(deps: UserAdministrationDeps) {
  const { managed, users, audit, accountDeletion, passwords, clock, emailLinks, notices } = deps

  /** @throws AppError NOT_FOUND */
  async function find(id: string): Promise<ManagedUser> {
    const user = isId(id) ? await managed.find(id) : null
    if (!user) throw userNotFound()
    return user
  }

  /** @throws AppError FORBIDDEN if the administrator's own sign-in is not recent */
  function requireRecent({ user }: AdminActor): void {
    if (user) requireRecentSignIn(user, clock.now())
  }

  return {
    find,

    /** @throws AppError BAD_REQUEST if this service did not issue the cursor */
    async list({ email, cursor, limit, withTotal, ...search }: ListUsersInput) {
      const filter = { ...search, email: email && normalizeEmail(email), withTotal: withTotal === 'true' }
      let total: number | undefined
      const page = await readPage({ cursor, limit }, async (range) => {
        const found = await managed.search({ ...filter, ...range })
        total = found.total
        return found.users
      })
      return { ...page, total }
    },

    /**
     * `language`: language of the invitation.
     * @throws AppError BAD_REQUEST (no email is configured), CONFLICT (the email or externalId is taken),
     * FORBIDDEN (creating an administrator without a recent sign-in)
     */
    async create(input: CreateUserInput, admin: AdminActor, language: string): Promise<ManagedUser> {
      const { email = null, password, externalId, name = null, quotaBytes = null, role = 'user' } = input
      if (role === 'admin') {
        requireNoServerKey(admin)
        requireRecent(admin)
      }
      if (input.invite && !emailLinks)
        throw new AppError('BAD_REQUEST', 'invite needs SMTP_URL, which is not configured.', {
          fieldErrors: { invite: ['needs SMTP_URL, which is not configured: give a password'] },
        })
      const id = newId()
      const external =
        externalId === undefined ? null : { issuer: issuerOfNewUsers(deps.issuer), id: externalId }
      if (externalId !== undefined && (await deps.findByExternalId(externalId))) throw taken()
      const passwordHash = password === undefined ? null : await passwords.hash(password)
      const user = { id, email, passwordHash, external, name, quotaBytes, role }
      if (!(await managed.create(user, { ...admin, at: clock.now() }))) throw taken()
      if (input.invite && !emailLinks?.invite({ id }, language))
        throw new AppError(
          'SERVICE_UNAVAILABLE',
          'The user was created, but too many emails are waiting to be sent. The user can request a link at /forgot-password.',
        )
      return find(id)
    },

    /**
     * A new password and `disabled` end all sessions, in all replicas. A password requires a recent sign-in, because
     * the caller could sign in with it. So does a role.
     * @throws AppError NOT_FOUND, FORBIDDEN, BAD_REQUEST (a password for a user without an email), CONFLICT (disabling
     * yourself, or a password for a sign-up whose email another account has). Also CONFLICT for your own role, and for an
     * administrator without a verified email.
     */
    async update(id: string, input: UpdateUserInput, admin: AdminActor): Promise<ManagedUser> {
      const { password, ...change } = input
      if (change.disabled === true && id === admin.userId) throw notYourself('disable yourself')
      const { role } = await find(id)
      if (change.role !== undefined && change.role !== role && id === admin.userId)
        throw notYourself('change your own role')
      if (role === 'admin' || change.role !== undefined) requireNoServerKey(admin)
      if (password !== undefined || change.role !== undefined) requireRecent(admin)
      const passwordHash = password === undefined ? undefined : await passwords.hash(password)
      const result = await managed.update(
        id,
        { ...change, ...(passwordHash && { passwordHash }) },
        { ...admin, at: clock.now() },
      )
      if (result === 'notFound') throw userNotFound()
      if (result === 'updated' && passwordHash) notices.newPassword(id)
      if (result === 'unverified')
        throw new AppError(
          'CONFLICT',
          'This user has not verified their email, so someone else could own it. Let them verify it first, or set a password.',
        )
      if (result === 'external')
        throw new AppError('BAD_REQUEST', 'This user signs in elsewhere and has no email here.', {
          fieldErrors: { password: ['cannot be set: the user has no email to sign in with'] },
        })
      if (result === 'emailTaken')
        throw new AppError('CONFLICT', 'Another account has this email. Set its password instead.', {
          fieldErrors: { password: ['cannot be set: another account has the email'] },
        })
      return find(id)
    },

    /**
     * Emails the user a link that sets a new password, within the limits for their mailbox. `language`: language of the
     * email.
     * @throws AppError NOT_FOUND, CONFLICT (no email is configured, or the user cannot use a password),
     * SERVICE_UNAVAILABLE (too many emails are waiting)
     */
    async sendPasswordReset(id: string, admin: AdminActor, language: string): Promise<void> {
      const { role, externalId, email, disabled } = await find(id)
      if (role === 'admin') requireNoServerKey(admin)
      if (!emailLinks)
        throw new AppError(
          'CONFLICT',
          'Emails need SMTP_URL, which is not configured. Set a password instead.',
        )
      if (disabled) throw new AppError('CONFLICT', 'This user is disabled. Enable the account first.')
      if (email === null || externalId !== null)
        throw new AppError('CONFLICT', 'This user signs in elsewhere and has no password here.')
      if (!emailLinks.sendReset({ id }, language))
        throw new AppError('SERVICE_UNAVAILABLE', 'Too many emails are waiting to be sent. Try again later.')
    },

    /**
     * Ends all sessions of a user, in all replicas. API keys and push tokens keep working.
     * @throws AppError NOT_FOUND, FORBIDDEN (an administrator, with a server key)
     */
    async signOut(id: string, admin: AdminActor): Promise<void> {
      const { role } = await find(id)
      if (role === 'admin') requireNoServerKey(admin)
      await users.endSessions(id)
      const { actor, address } = admin
      await audit.record({ action: 'session.ended', actor, userId: id, address, details: { all: true } })
    },

    /**
     * Deletes the account as its user would. Returns when it is closed; removing its files can take longer.
     * @throws AppError NOT_FOUND, CONFLICT (deleting yourself)
     */
    async delete(id: string, admin: AdminActor): Promise<void> {
      if (id === admin.userId) throw notYourself('delete yourself')
      const { role } = await find(id)
      if (role === 'admin') requireNoServerKey(admin)
      await accountDeletion.deleteAccount(id, admin.address, admin.actor)
    },
  }
}

/** With an administrator's account, a server key could do everything. */
function requireNoServerKey({ serverKeyId }: AdminActor): void {
  if (serverKeyId != null)
    throw new AppError(
      'FORBIDDEN',
      'Server keys cannot create, change or delete administrators. Use the admin secret or the session of an administrator.',
    )
}

const userNotFound = () => new AppError('NOT_FOUND', 'User not found.')

const taken = () => new AppError('CONFLICT', 'A user with this email or externalId already exists.')

const notYourself = (what: string) =>
  new AppError(
    'CONFLICT',
    `You cannot ${what} here. Ask another administrator to do it, or use the admin secret.`,
  )
