import type { AdminUser } from '@pigeonhole/client/admin'

/** What a user is called: the email, else the name, else the id that the other issuer or we gave. */
export function userName({
  email,
  name,
  externalId,
  id,
}: Pick<AdminUser, 'email' | 'name' | 'externalId' | 'id'>): string {
  return email ?? name ?? externalId ?? id
}
