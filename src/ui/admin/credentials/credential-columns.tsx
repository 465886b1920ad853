import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { DottedParts } from '../../components/dotted-parts.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { type Revocation, RevokeButton } from '../../components/revoke-button.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { Cell, ColumnHeads } from '../columns.tsx'

type CredentialHeadsProps = {
  /** Label of the scopes. */
  scopes: string
  /** Grid columns of a credential: name, owner if rows show it, scopes, last use, expiry, status and button. */
  grid: string
  showOwner?: boolean
}

/** Heads of the columns of `CredentialColumns`. */
export function CredentialHeads({ scopes, grid, showOwner }: CredentialHeadsProps) {
  const { t } = useMessages()
  return (
    <ColumnHeads
      grid={`gap-x-4 ${grid}`}
      columns={[
        { label: t('admin.credentials.name') },
        ...(showOwner ? [{ label: t('admin.credentials.owner') }] : []),
        { label: scopes },
        { label: t('admin.credentials.lastUsed') },
        { label: t('admin.credentials.expires') },
        { label: t('admin.status') },
      ]}
    />
  )
}

type CredentialColumnsProps = {
  credential: {
    name: string
    createdAt: string
    expiresAt: string
    lastUsedAt: string | null
    revokedAt?: string | null
  }
  grid: string
  /** Recognizable part of the credential: its prefix and last characters. */
  preview: string
  scopes: { label: string; texts: string[] }
  owner?: ReactNode
  /** Link below the name. */
  link?: ReactNode
  revoke: Revocation
}

/** A server key or push token as a table row or, on phones, as a card without the usual status. */
export function CredentialColumns(props: CredentialColumnsProps) {
  const { credential, grid, preview, scopes, owner, link, revoke } = props
  const { t } = useMessages()
  const { name, createdAt, expiresAt, lastUsedAt, revokedAt } = credential
  const isExpired = !revokedAt && Date.parse(expiresAt) <= Date.now()
  const isActive = !revokedAt && !isExpired
  return (
    <li
      className={clsx(
        'row-lazy grid items-start gap-x-4 gap-y-1 px-4 py-3 max-lg:grid-cols-[minmax(0,1fr)_auto] sm:px-5 lg:items-center',
        grid,
      )}
    >
      {/* On phones, only the name is beside the button. */}
      <div className="min-w-0 max-lg:contents">
        <p className="min-w-0 font-medium max-lg:self-center">
          <bdi className="wrap-anywhere">{name}</bdi>
        </p>
        <p className="text-sm text-ink-soft tabular-nums max-lg:col-span-2">
          <DottedParts
            parts={[
              <code key="preview" className="text-xs">
                {preview}
              </code>,
              t.rich('apiKeys.createdOn', {
                time: createdAt,
                when: () => <LocalTime at={createdAt} dayOnly />,
              }),
            ]}
          />
        </p>
        {link && <p className="text-sm max-lg:col-span-2">{link}</p>}
      </div>
      <div className="flex flex-wrap gap-x-4 gap-y-1 max-lg:col-span-2 lg:contents">
        {owner && (
          <Cell label={t('admin.credentials.owner')} className="max-lg:w-full">
            {owner}
          </Cell>
        )}
        <Cell label={scopes.label} className="max-lg:w-full">
          <DottedParts parts={scopes.texts} />
        </Cell>
        <Cell label={t('admin.credentials.lastUsed')} className="tabular-nums">
          {lastUsedAt ? <LocalTime at={lastUsedAt} /> : t('admin.users.neverSeen')}
        </Cell>
        <Cell label={t('admin.credentials.expires')} className="tabular-nums">
          <LocalTime at={expiresAt} dayOnly />
        </Cell>
        <Cell label={t('admin.status')} className={clsx(isActive && 'max-lg:hidden')}>
          {revokedAt && <Badge>{t('apiKeys.revoked')}</Badge>}
          {isExpired && <Badge tone="warning">{t('apiKeys.expired')}</Badge>}
          {isActive && <Badge tone="usual">{t('admin.pushTokens.active')}</Badge>}
        </Cell>
      </div>
      {!revokedAt && (
        <div className="lg:text-right max-lg:col-start-2 max-lg:row-start-1">
          <RevokeButton name={name} revoke={revoke} />
        </div>
      )}
    </li>
  )
}
