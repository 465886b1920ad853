import type { AuditEntry, ServerKeyScope } from '@pigeonhole/client/admin'
import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { Breakable } from '../../components/breakable.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import type { AuditDetailTexts } from '../../i18n/messages/audit-details.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { scopeLabel } from '../../settings/api-key-scopes.ts'
import { ID } from '../push-tokens/find-user-id.ts'
import { SERVER_KEY_SCOPES } from '../server-keys/server-key-scopes.ts'
import { auditObjectOf, subjectKindOf } from './audit-object.ts'

type Detail = AuditEntry['details'][string]

type AuditRowProps = {
  entry: AuditEntry
  /** The day, above the first entry of a day. */
  heading: ReactNode
  /** Name of the action. Undefined for actions of another release. */
  name: string | undefined
  /** Name of what an API call did, which then replaces the call in the line. */
  callName: string | undefined
  texts: AuditDetailTexts
}

/** Columns of the list on wide screens: arrow, time, actor, what, subject, address. */
export const AUDIT_GRID = 'lg:grid-cols-[1rem_4.5rem_minmax(0,4fr)_minmax(0,7fr)_minmax(0,5fr)_7rem]'

/** A cell of a closed row is one line on wide screens. `wbr` would break it nevertheless. */
const ONE_LINE = 'lg:group-[:not([open])]:truncate lg:group-[:not([open])]:[&_wbr]:hidden'
/** Only what was done takes two lines there: one would cut the details before their values. */
const TWO_LINES = 'lg:group-[:not([open])]:line-clamp-2'

/** Text of parts with dots between them. The dot of a part that begins a line is in the padding, which is clipped. */
const DOTTED = '-ml-3.5 pl-3.5 [clip-path:inset(0_0_0_0.875rem)]'
const DOTTED_WIDE = 'lg:-ml-3.5 lg:pl-3.5 lg:[clip-path:inset(0_0_0_0.875rem)]'
/** A part after the first. */
const PART = "before:absolute before:-ml-2 before:content-['·'/'']"

/** Details that name the subject of an entry. */
const SUBJECT_KEYS = ['title', 'name', 'url']

const LINK = 'relative -my-1 inline-block py-1 text-accent underline'

/** An entry in two lines without IDs, which opens its other details. The opened line shows its texts in full. */
export function AuditRow({ entry, heading, name, callName, texts }: AuditRowProps) {
  const { t } = useMessages()
  const { at, action, actor, actorName, userId, userName, subjectId, subjectName, address } = entry
  const parts = usePartsOf(entry, texts)
  const isInLine = ({ key, line }: Part) =>
    line !== null && (callName === undefined || !['call', 'status'].includes(key))
  const isSubject = ({ key }: Part) => SUBJECT_KEYS.includes(key)
  const isAboutOther = userId !== null && actor !== `user:${userId}`
  const named = parts.filter((part) => isInLine(part) && isSubject(part))
  const subject = [
    ...named,
    ...(named.length === 0 && subjectName !== null ? [{ key: 'subject', value: subjectName }] : []),
    ...(isAboutOther && userName !== null ? [{ key: 'user', value: userName }] : []),
  ]
  const object = auditObjectOf(entry)
  return (
    <li className="row-lazy">
      {heading}
      <details className="group text-sm">
        <summary
          className={clsx(
            'grid min-h-11 cursor-pointer list-none grid-cols-[1rem_minmax(0,1fr)] items-center gap-x-3 px-4 py-2 sm:px-5',
            AUDIT_GRID,
          )}
        >
          <ChevronRight
            aria-hidden="true"
            className="size-4 text-ink-soft transition-transform max-lg:mt-0.5 max-lg:self-start group-open:rotate-90 motion-reduce:transition-none"
          />
          {/* On narrow phones, the time wraps below the action. */}
          <span className="flex min-w-0 flex-wrap gap-x-3 lg:contents">
            <span className="order-1 text-ink-soft tabular-nums lg:order-none">
              <LocalTime at={at} timeOnly />
            </span>
            <span
              className={clsx('order-2 w-full min-w-0 text-ink-soft wrap-anywhere lg:order-none', ONE_LINE)}
            >
              <span className="lg:sr-only">{t('admin.audit.by')}: </span>
              <ActorName actor={actor} name={actorName} />
            </span>
            <span className={clsx('min-w-0 flex-1 basis-36 wrap-anywhere', DOTTED_WIDE, TWO_LINES)}>
              <span className="font-medium lg:pr-2">{callName ?? name ?? action}</span>
              {/* On phones they would take up to six lines. The opened row has them too. */}
              <span className="text-ink-soft max-lg:hidden">
                {parts
                  .filter((part) => isInLine(part) && !isSubject(part))
                  .map(({ key, label, value, line }) => (
                    <Fragment key={key}>
                      {' '}
                      <span className={clsx(PART, 'pr-2')}>
                        {label !== undefined && `${label}: `}
                        {line ?? value}
                      </span>
                    </Fragment>
                  ))}
              </span>
            </span>
            <span
              className={clsx(
                'order-3 w-[calc(100%+0.875rem)] min-w-0 wrap-anywhere max-lg:text-ink-soft lg:order-none',
                DOTTED,
                ONE_LINE,
                subject.length === 0 && 'max-lg:hidden',
              )}
            >
              {subject.length > 0 && <span className="lg:sr-only">{t('admin.audit.subject')}: </span>}
              {subject.map(({ key, value }, index) => (
                <Fragment key={key}>
                  {index > 0 && ' '}
                  {/* Where it wraps, a part after the first moves to the next line as a whole. */}
                  <span
                    className={clsx(
                      'pr-2',
                      index > 0 && PART,
                      index > 0 && 'max-lg:inline-block group-open:inline-block',
                    )}
                  >
                    <bdi>{typeof value === 'string' ? <Breakable>{value}</Breakable> : value}</bdi>
                  </span>
                </Fragment>
              ))}
            </span>
            <span className="text-ink-soft tabular-nums wrap-anywhere group-[:not([open])]:truncate max-lg:hidden">
              {address}
            </span>
          </span>
        </summary>
        <dl className="grid items-start gap-x-8 gap-y-2 pt-1 pr-4 pb-4 pl-11 sm:gap-y-1 sm:pr-5 sm:pl-12 lg:grid-cols-2">
          <Fact label={t('admin.audit.exactTime')}>
            <span className="tabular-nums">
              <LocalTime at={at} exact />
            </span>
            {/* As in the API and in exports. */}
            <code className="block text-xs whitespace-nowrap text-ink-soft">{at}</code>
          </Fact>
          <ActorFact actor={actor} name={actorName} />
          {isAboutOther && (
            <Fact label={t('admin.audit.about')}>
              <UserLink id={userId} name={userName} label={t('admin.audit.about')} />
            </Fact>
          )}
          {address && (
            <Fact label={t('admin.audit.address')} className="lg:hidden">
              {address}
            </Fact>
          )}
          {parts.map((part) => (
            <Fact
              key={part.key}
              label={part.label ?? t('admin.audit.call')}
              className={clsx(isInLine(part) && part.line === undefined && 'lg:hidden')}
            >
              {part.value}
            </Fact>
          ))}
          {subjectId && (
            <Fact label={texts.ids[subjectKindOf(entry)]!}>
              <CopyableId id={subjectId} label={texts.ids[subjectKindOf(entry)]!} />
              {object && <ObjectLink href={object.href}>{t(object.label)}</ObjectLink>}
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

function Fact({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <div
      className={clsx('min-w-0 items-baseline gap-x-3 sm:grid sm:grid-cols-[9rem_minmax(0,1fr)]', className)}
    >
      <dt className="text-ink-soft hyphens-auto">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

/** An ID, which wraps at its hyphens. */
function Id({ children }: { children: string }) {
  return (
    <code className="text-xs">
      <Breakable>{children}</Breakable>
    </code>
  )
}

/** An ID that is a detail of its own, with a button that copies it. `label`: what has the ID. */
function CopyableId({ id, label }: { id: string; label: string }) {
  const { t } = useMessages()
  return (
    // Room for the button: the values are closer than it is high.
    <div className="sm:py-2">
      <CopyableCode code={id} label={`${t('admin.files.copyId')}: ${label}`} />
    </div>
  )
}

function ObjectLink({ href, children }: { href: string; children: string }) {
  return (
    <p>
      <AppLink href={href} className={LINK}>
        {children}
      </AppLink>
    </p>
  )
}

/**
 * `label`: undefined for a call of the admin API. `line`: shorter value in the line, or null if the line omits the
 * part. Default: the value.
 */
type Part = { key: string; label?: string; value: ReactNode; line?: string | null }

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Details whose values are codes, separated by spaces or commas if there are several. */
const CODES = ['method', 'reason', 'role', 'scopes', 'provider']

/** Returns the other data of an entry: the call of the admin API, the change of a field, and values by name. */
function usePartsOf({ userId, details }: AuditEntry, texts: AuditDetailTexts): Part[] {
  const { t, format } = useMessages()
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
    if (ID.test(text)) return <Id>{text}</Id>
    if (!CODES.includes(key)) return <Breakable>{text}</Breakable>
    const names = text.split(/[ ,]+/).map((code) => {
      const scope = key === 'scopes' && (scopeLabel(code) ?? SERVER_KEY_SCOPES[code as ServerKeyScope])
      return scope ? t(scope) : texts.values[code]
    })
    // Texts that people wrote, such as the reason of a rejection, are not codes.
    return names.every((name) => name !== undefined) ? names.join(', ') : text
  }
  const parts: Part[] = Object.entries(others)
    .filter(([, value]) => value !== userId)
    .map(([key, value]): Part => {
      const part = { key, label: nameOf(key) }
      if (typeof value !== 'string' || !ID.test(value)) return { ...part, value: textOf(key, value) }
      return {
        ...part,
        value: (
          <>
            <CopyableId id={value} label={part.label} />
            {key === 'fileId' && (
              <ObjectLink href={`/admin/files/${value}`}>{t('admin.audit.openFile')}</ObjectLink>
            )}
          </>
        ),
        line: null,
      }
    })
  if (typeof field === 'string')
    parts.unshift({
      key: 'change',
      label: nameOf(field),
      value: (
        <>
          {textOf(field, old)} → {textOf(field, changed)}
        </>
      ),
    })
  if (call !== undefined) {
    const line = call.replaceAll(/[^/ ]+/g, (part) => (ID.test(part) ? '{id}' : part))
    parts.unshift({ key: 'call', value: <Breakable>{call}</Breakable>, ...(line !== call && { line }) })
  }
  return parts
}

/** The actor in the line: `user:ID`, `token:ID`, `key:ID`, `admin` or null. */
function ActorName({ actor, name }: { actor: string | null; name: string | null }) {
  const { t } = useMessages()
  if (actor === null) return t('admin.audit.unknown')
  if (actor === 'admin') return t('admin.audit.operatorShort')
  const [kind] = actor.split(':')
  if (name === null) return t(FORMER[kind as keyof typeof FORMER] ?? 'admin.audit.unknown')
  const label = kind === 'key' ? t('admin.audit.serverKey') : kind === 'token' && t('admin.audit.token')
  return (
    <>
      {label && `${label} `}
      <bdi>
        <Breakable>{name}</Breakable>
      </bdi>
    </>
  )
}

/** Actors without a name: they no longer exist, or the user has neither a verified email nor a name. */
const FORMER = {
  user: 'admin.audit.formerUser',
  token: 'admin.audit.formerToken',
  key: 'admin.audit.formerKey',
} as const

/** The name and ID of an actor, or who the operator is. Renders nothing for unknown actors. */
function ActorFact({ actor, name }: { actor: string | null; name: string | null }) {
  const { t } = useMessages()
  if (actor === null) return null
  const [kind, id = ''] = actor.split(':')
  return (
    <Fact label={t('admin.audit.by')}>
      {kind === 'admin' ? (
        t('admin.audit.operator')
      ) : kind === 'user' ? (
        <UserLink id={id} name={name} label={t('admin.audit.by')} />
      ) : (
        <>
          <ActorName actor={actor} name={name} />
          <CopyableId id={id} label={t('admin.audit.by')} />
        </>
      )}
    </Fact>
  )
}

/** Link to a user by name, above the ID. */
function UserLink({ id, name, label }: { id: string; name: string | null; label: string }) {
  const { t } = useMessages()
  return (
    <>
      <AppLink href={`/admin/users/${id}`} className={LINK}>
        {name === null ? (
          t('admin.audit.formerUser')
        ) : (
          <bdi>
            <Breakable>{name}</Breakable>
          </bdi>
        )}
      </AppLink>
      <CopyableId id={id} label={label} />
    </>
  )
}
