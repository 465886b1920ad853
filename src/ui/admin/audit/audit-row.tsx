import type { AuditEntry } from '@pigeonhole/client/admin'
import { Fragment, type ReactNode } from 'react'
import { Breakable } from '../../components/breakable.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import type { AuditDetailTexts } from '../../i18n/messages/audit-details.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

type Detail = AuditEntry['details'][string]

type AuditRowProps = {
  entry: AuditEntry
  /** Name of the action. Undefined for actions of another release. */
  name: string | undefined
  texts: AuditDetailTexts
}

export function AuditRow({ entry, name, texts }: AuditRowProps) {
  const { t } = useMessages()
  const { at, action, actor, actorName, userId, userName, address } = entry
  return (
    <li className="row-lazy space-y-0.5 px-4 py-3 text-sm sm:px-5">
      <div className="flex items-baseline justify-between gap-x-4">
        <p className="min-w-0 wrap-anywhere">
          {name && <span className="mr-2 font-medium">{name}</span>}
          <code className="inline-block text-xs text-ink-soft">
            <Breakable>{action}</Breakable>
          </code>
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
      <Details entry={entry} texts={texts} />
    </li>
  )
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Details whose values are codes, separated by spaces or commas if there are several. */
const CODES = ['method', 'reason', 'role', 'scopes', 'provider']

/** The other data of an entry: the call of the admin API, the change of a field, values by name, and the ID. */
function Details({ entry, texts }: Pick<AuditRowProps, 'entry' | 'texts'>) {
  const { format } = useMessages()
  const { userId, subjectId, details } = entry
  const { method, path, ...otherThanCall } = details
  const call = method !== undefined && path !== undefined ? `${method} ${path}` : undefined
  const { field, old, new: changed, ...others } = call === undefined ? details : otherThanCall
  const nameOf = (key: string) => texts.names[key] ?? key
  const textOf = (key: string, value: Detail | undefined): ReactNode => {
    if (value === null || value === undefined) return '–'
    if (typeof value === 'number') return key.endsWith('Bytes') ? format.bytes(value) : value
    if (typeof value === 'boolean') return texts.values[String(value)]
    // Scopes of push tokens were a list in earlier versions.
    const text = String(value)
    if (TIME.test(text)) return <LocalTime at={text} withTime />
    if (!CODES.includes(key)) return text
    const codes = text.split(/[ ,]+/)
    // Texts that people wrote, such as the reason of a rejection, are not codes.
    return codes.every((code) => code in texts.values)
      ? codes.map((code) => texts.values[code]).join(', ')
      : text
  }
  const parts: [key: string, part: ReactNode][] = Object.entries(others)
    .filter(([, value]) => value !== userId)
    .map(([key, value]) => [
      key,
      <>
        {nameOf(key)}: {textOf(key, value)}
      </>,
    ])
  if (typeof field === 'string')
    parts.unshift([
      'change',
      <>
        {nameOf(field)}: {textOf(field, old)} → {textOf(field, changed)}
      </>,
    ])
  if (call !== undefined) parts.unshift(['call', call])
  // The path names it.
  if (subjectId !== null && !call?.includes(subjectId)) parts.push(['id', `${nameOf('id')}: ${subjectId}`])
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
      {name === null ? (
        <code className="text-xs">{id}</code>
      ) : (
        <bdi>
          <Breakable>{name}</Breakable>
        </bdi>
      )}
    </AppLink>
  )
}
