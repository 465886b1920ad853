import type { AuditEntry } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
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
  /** Name of what an API call did, which then replaces the call in the line. */
  callName: string | undefined
  texts: AuditDetailTexts
}

/** Columns of the list on wide screens: arrow, time, actor, what, user, address. */
export const AUDIT_GRID = 'lg:grid-cols-[1rem_7.5rem_minmax(0,2fr)_minmax(0,3fr)_minmax(0,2fr)_7rem]'

/** An entry in one line, which opens its details. */
export function AuditRow({ entry, name, callName, texts }: AuditRowProps) {
  const { t } = useMessages()
  const { at, action, actor, actorName, userId, userName, subjectId, address } = entry
  const parts = usePartsOf(entry, texts)
  const lineParts = parts.filter(([key]) => callName === undefined || !['call', 'status'].includes(key))
  const isAboutOther = userId !== null && actor !== `user:${userId}`
  const subject = isAboutOther && userName
  return (
    <li className="row-lazy">
      <details className="group text-sm">
        <summary
          className={clsx(
            'grid min-h-11 cursor-pointer list-none grid-cols-[1rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-2 sm:px-5',
            AUDIT_GRID,
          )}
        >
          <ChevronRight
            aria-hidden="true"
            className="size-4 text-ink-soft transition-transform group-open:rotate-90 motion-reduce:transition-none"
          />
          {/* On narrow phones, the time wraps below the action. */}
          <span className="flex min-w-0 flex-wrap gap-x-3 lg:contents">
            <span className="order-1 text-ink-soft tabular-nums lg:order-none">
              <LocalTime at={at} />
            </span>
            <span className="order-2 w-full min-w-0 text-ink-soft wrap-anywhere lg:order-none lg:truncate">
              <span className="lg:sr-only">{t('admin.audit.by')}: </span>
              <ActorName actor={actor} name={actorName} />
            </span>
            <span className="min-w-0 flex-1 basis-36 wrap-anywhere lg:truncate">
              <span className="font-medium">{callName ?? name ?? action}</span>
              <span className="text-ink-soft">
                {/* On phones they would take up to six lines. The opened row has them too. */}
                <span className="max-lg:hidden">
                  {lineParts.map(([key, part]) => (
                    <Fragment key={key}>
                      {' · '}
                      {part}
                    </Fragment>
                  ))}
                </span>
              </span>
            </span>
            <span
              className={clsx(
                'order-3 w-full min-w-0 text-ink-soft wrap-anywhere lg:order-none lg:truncate',
                !subject && 'max-lg:hidden',
              )}
            >
              {subject && <span className="lg:sr-only">{t('admin.audit.about')}: </span>}
              <bdi>{subject}</bdi>
            </span>
            <span className="truncate text-ink-soft tabular-nums max-lg:hidden">{address}</span>
          </span>
        </summary>
        <dl className="flex flex-wrap gap-x-6 gap-y-1 pr-4 pb-3 pl-11 sm:pl-12">
          <Fact label={t('admin.audit.time')}>
            <LocalTime at={at} withTime />
          </Fact>
          <Fact label={t('admin.audit.by')}>
            <Actor actor={actor} name={actorName} />
          </Fact>
          {isAboutOther && (
            <Fact label={t('admin.audit.about')}>
              <UserLink id={userId} name={userName} />
            </Fact>
          )}
          {address && <Fact label={t('admin.audit.address')}>{address}</Fact>}
          {parts.length > 0 && (
            <Fact label={t('admin.audit.details')}>
              {parts.map(([key, part], index) => (
                <Fragment key={key}>
                  {index > 0 && ' · '}
                  {part}
                </Fragment>
              ))}
            </Fact>
          )}
          {subjectId && (
            <Fact label={texts.names.id!}>
              <code className="text-xs">{subjectId}</code>
            </Fact>
          )}
          <Fact label={t('admin.audit.code')}>
            <code className="text-xs">{action}</code>
          </Fact>
        </dl>
      </details>
    </li>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex max-w-full min-w-0 items-baseline gap-x-2">
      <dt className="shrink-0 text-ink-soft">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Details whose values are codes, separated by spaces or commas if there are several. */
const CODES = ['method', 'reason', 'role', 'scopes', 'provider']

/** Returns the other data of an entry: the call of the admin API, the change of a field, and values by name. */
function usePartsOf(
  { userId, details }: AuditEntry,
  texts: AuditDetailTexts,
): [key: string, part: ReactNode][] {
  const { format } = useMessages()
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
  return parts
}

/** The actor without a link, for the line. */
function ActorName({ actor, name }: { actor: string | null; name: string | null }) {
  const { t } = useMessages()
  if (actor === null) return t('admin.audit.unknown')
  if (actor === 'admin') return t('admin.audit.operatorShort')
  const [kind, id = ''] = actor.split(':')
  const label = kind === 'key' ? t('admin.audit.serverKey') : kind === 'token' && t('admin.audit.token')
  return (
    <>
      {label && `${label} `}
      {name === null ? <code className="text-xs">{id}</code> : <bdi>{name}</bdi>}
    </>
  )
}

/** The actor: `user:ID`, `token:ID`, `key:ID`, `admin` or null. */
function Actor({ actor, name }: { actor: string | null; name: string | null }) {
  const { t } = useMessages()
  if (actor === null) return t('admin.audit.unknown')
  if (actor === 'admin') return t('admin.audit.operator')
  const [kind, id = ''] = actor.split(':')
  if (kind === 'user') return <UserLink id={id} name={name} />
  return <ActorName actor={actor} name={name} />
}

/** Link to a user, by email or name. Deleted users have only their ID. */
function UserLink({ id, name }: { id: string; name: string | null }) {
  return (
    <AppLink href={`/admin/users/${id}`} className="relative inline-block py-1 text-accent hover:underline">
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
