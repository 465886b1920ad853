import type { BackendFile } from '@pigeonhole/client/admin'
import { AppLink } from '../../layout/app-link.tsx'

/** Link to a file's owner, by email, your app's ID or name. */
export function OwnerLink({ file: { userId, externalId, user } }: { file: BackendFile }) {
  const name = user.email ?? externalId ?? user.name
  return (
    <AppLink
      href={`/admin/users/${userId}`}
      className="relative -my-0.5 inline-flex min-h-6 min-w-0 max-w-full items-center text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
    >
      {name === null ? (
        <code className="truncate text-xs">{userId}</code>
      ) : (
        <bdi className="truncate">{name}</bdi>
      )}
    </AppLink>
  )
}
