import type { Passwords } from './password.ts'
import type { AuthUser } from './user-repo.ts'

type MatchAccountDeps = {
  passwords: Pick<Passwords, 'verify' | 'findMatch'>
  /** True if this service sends email, so that several accounts can sign up with one email. */
  sendsMail: boolean
}

export type MatchAccount = ReturnType<typeof createMatchAccount>

/**
 * Finds the account of a password among all accounts that signed up with an email. Takes the same time whether the
 * email has an owner, a sign-up, both or neither: checking a wrong password or a sign-up's password costs two hashes,
 * and checking the owner's costs one.
 */
export function createMatchAccount({ passwords, sendsMail }: MatchAccountDeps) {
  /** Never returns a disabled account. `outdated`: the hash was created with other costs and should be replaced. */
  return async function matchAccount(accounts: readonly AuthUser[], password: string) {
    const owner = accounts.find(({ isPending }) => !isPending)
    const { ok, outdated } = await passwords.verify(password, owner?.passwordHash ?? null)
    if (owner && ok && !owner.disabledAt) return { user: owner, outdated }
    const pending = accounts.filter(({ isPending }) => isPending)
    if (!sendsMail && pending.length === 0) return null
    const hashes = pending.flatMap(({ passwordHash }) => passwordHash ?? [])
    const match = await passwords.findMatch(password, hashes)
    const user = match && pending.find(({ passwordHash }) => passwordHash === match)
    return user && !user.disabledAt ? { user, outdated: false } : null
  }
}

/**
 * Returns true if the address of a sign-in can become known to the email's account. A stranger could otherwise sign up
 * with the email and sign in from many addresses, each of which would then have its own limit of wrong passwords.
 */
export const ownsEmail = ({ isPending }: AuthUser) => !isPending
