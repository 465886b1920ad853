import type { AuditEntry } from '@pigeonhole/client/admin'
import { Fragment, type ReactNode } from 'react'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

type AuditRowProps = {
  entry: AuditEntry
  /** Name of the action. Undefined for actions of another release. */
  name: string | undefined
}

export function AuditRow({ entry, name }: AuditRowProps) {
  const { t } = useMessages()
  const { at, action, actor, actorName, userId, userName, address } = entry
  return (
    <li className="row-lazy space-y-0.5 px-4 py-3 text-sm sm:px-5">
      <div className="flex items-baseline justify-between gap-x-4">
        <p className="min-w-0 wrap-anywhere">
          {name && <span className="mr-2 font-medium">{name}</span>}
          <code className="inline-block text-xs text-ink-soft">{action}</code>
        </p>
        <p className="shrink-0 text-ink-soft tabular-nums">
          <LocalTime at={at} />
        </p>
      </div>
      <p className="text-ink-soft">
        {t('admin.audit.by')} <Actor actor={actor} name={actorName} />{' '}
        {address && t('admin.audit.from', { address })}
        {userId && actor !== `user:${userId}` && (
          <>
            {' · '}
            {t('admin.audit.about')} <UserLink id={userId} name={userName} />
          </>
        )}
      </p>
      <Details entry={entry} />
    </li>
  )
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** The other data of an entry: the call of the admin API, values by name, and the ID of what the entry is about. */
function Details({ entry: { userId, subjectId, details } }: { entry: AuditEntry }) {
  const { method, path, ...others } = details
  const call = method !== undefined && path !== undefined ? `${method} ${path}` : undefined
  const named = Object.entries(call === undefined ? details : others).filter(([, value]) => value !== userId)
  const parts: [key: string, part: ReactNode][] = named.map(([name, value]) => [
    name,
    <>
      {name}: {TIME.test(String(value)) ? <LocalTime at={String(value)} withTime /> : String(value)}
    </>,
  ])
  if (call !== undefined) parts.unshift(['call', call])
  // The path names it.
  if (subjectId !== null && !call?.includes(subjectId)) parts.push(['id', `id: ${subjectId}`])
  if (parts.length === 0) return null
  return (
    <p className="text-xs wrap-anywhere text-ink-soft">
      {parts.map(([key, part], index) => (
        <Fragment key={key}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </p>
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
