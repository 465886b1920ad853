import type { AuditEntry } from '@pigeonhole/client/admin'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { t } = useMessages()
  const { at, action, actor, actorName, userId, userName, subjectId, address, details } = entry
  const detailText = Object.entries(details)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
  return (
    <li className="row-lazy px-4 py-3 text-sm sm:px-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="font-medium">{action}</p>
        <p className="text-ink-soft tabular-nums">
          <LocalTime at={at} />
        </p>
      </div>
      <p className="text-ink-soft">
        {t('admin.audit.by')} <Actor actor={actor} name={actorName} />{' '}
        {address && t('admin.audit.from', { address })}
      </p>
      {userId && actor !== `user:${userId}` && (
        <p className="text-ink-soft">
          {t('admin.audit.about')} <UserLink id={userId} name={userName} />
        </p>
      )}
      {(subjectId || detailText) && (
        <p className="text-ink-soft">
          {subjectId && <code className="mr-2 text-xs">{subjectId}</code>}
          {detailText && <code className="text-xs">{detailText}</code>}
        </p>
      )}
    </li>
  )
}

/** The actor: `user:ID`, `token:ID`, `key:ID`, `admin` or null. */
function Actor({ actor, name }: { actor: string | null; name: string | null }) {
  const { t } = useMessages()
  if (actor === null) return t('admin.audit.unknown')
  if (actor === 'admin') return t('admin.audit.operator')
  const [kind, id = ''] = actor.split(':')
  if (kind === 'user') return <UserLink id={id} name={name} />
  return (
    <>
      {t(kind === 'key' ? 'admin.audit.serverKey' : 'admin.audit.token')}{' '}
      {name === null ? <code className="text-xs">{id}</code> : <bdi>{name}</bdi>}
    </>
  )
}

/** Link to a user, by email or name. Deleted users have only their ID. */
function UserLink({ id, name }: { id: string; name: string | null }) {
  return (
    <AppLink href={`/admin/users/${id}`} className="relative inline-block py-1 text-accent underline">
      {name === null ? <code className="text-xs">{id}</code> : <bdi>{name}</bdi>}
    </AppLink>
  )
}
