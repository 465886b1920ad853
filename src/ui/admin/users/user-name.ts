import type { AdminUser } from '@pigeonhole/client/admin'

/** Returns the first of these that the user has: email, name, the external issuer's ID, our ID. */
export function userName(user: Pick<AdminUser, 'email' | 'name' | 'externalId' | 'id'>): string {
  return user.email ?? user.name ?? user.externalId ?? user.id
}
