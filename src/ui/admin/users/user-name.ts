import type { AdminUser } from '@pigeonhole/client/admin'

type NamedUser = Pick<AdminUser, 'email' | 'name' | 'externalId' | 'id'>

/** Returns what lists and headings call a user: the name if there is one. Several users can have the same. */
export const displayName = (user: NamedUser): string => user.name ?? accountName(user)

/** Returns what confirmations call a user: the first of email, name, the external issuer's ID and our ID. */
export function accountName(user: NamedUser): string {
  return user.email ?? user.name ?? user.externalId ?? user.id
}
