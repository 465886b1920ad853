import type { AdminUser } from '@pigeonhole/client/admin'
import type { ReactNode } from 'react'
import { Card } from '../../components/card.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

export function UserDetailsCard({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const { id, name, externalId, createdAt, lastSeenAt } = user
  const audit = (
    <AppLink href={`/admin/audit?userId=${id}`} className="relative py-2 text-sm text-accent underline">
      {t('admin.users.audit')}
    </AppLink>
  )
  return (
    <Card title={t('admin.users.facts')} actions={audit}>
      <dl className="grid gap-x-6 gap-y-3 px-4 py-4 text-sm sm:grid-cols-2 sm:px-5">
        <Detail label={t('admin.users.name')}>{name ?? '–'}</Detail>
        <Detail label={t('admin.users.id')}>
          <code className="text-xs">{id}</code>
        </Detail>
        {externalId && <Detail label={t('admin.users.externalId')}>{externalId}</Detail>}
        <Detail label={t('admin.users.created')}>
          <LocalTime at={createdAt} />
        </Detail>
        <Detail label={t('admin.users.lastSeen')}>
          {lastSeenAt ? <LocalTime at={lastSeenAt} /> : t('admin.users.neverSeen')}
        </Detail>
        <Detail label={t('admin.users.holds')}>
          {t('admin.users.counts', { files: user.files, devices: user.devices })}
        </Detail>
      </dl>
    </Card>
  )
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-ink-soft">{label}</dt>
      <dd dir="auto" className="text-left font-medium">
        {children}
      </dd>
    </div>
  )
}
