import type { BackendFile } from '@pigeonhole/client/admin'
import { AppLink } from '../../layout/app-link.tsx'

/** Link to a file's owner, by your app's ID if there is one. */
export function OwnerLink({ file: { userId, externalId } }: { file: BackendFile }) {
  return (
    <AppLink
      href={`/admin/users/${userId}`}
      className="relative inline-flex min-h-6 min-w-0 max-w-full items-center text-accent underline pointer-coarse:min-h-11"
    >
      {externalId === null ? (
        <code className="truncate text-xs">{userId}</code>
      ) : (
        <bdi className="truncate">{externalId}</bdi>
      )}
    </AppLink>
  )
}
