import type { AdminUser } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

export function UserDetailsCard({ user }: { user: AdminUser }) {
  const { t, format } = useMessages()
  const { id, name, externalId, createdAt, lastSeenAt } = user
  // The email is easiest to recognize in the filter, but finds the user only if it is verified.
  const search = new URLSearchParams({ user: (user.emailVerified && user.email) || id })
  const link =
    'relative inline-flex min-h-8 items-center text-sm text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2'
  const links = (
    <p className="flex flex-wrap gap-x-4 sm:-my-1">
      <AppLink href={`/admin/files?${search}`} className={link}>
        {t('admin.users.files')}
      </AppLink>
      <AppLink href={`/admin/audit?${search}`} className={link}>
        {t('admin.users.audit')}
      </AppLink>
    </p>
  )
  return (
    <Card title={t('admin.users.facts')} actions={links}>
      <DetailList
        details={[
          [t('admin.users.name'), name],
          [t('admin.users.id'), <CopyableCode key="id" code={id} label={t('admin.files.copyId')} />],
          [t('admin.users.externalId'), externalId],
          [t('admin.users.created'), <LocalTime key="created" at={createdAt} />],
          [
            t('admin.users.lastSeen'),
            lastSeenAt ? <LocalTime key="seen" at={lastSeenAt} /> : t('admin.users.neverSeen'),
          ],
          [t('admin.files.title'), format.number(user.files)],
          [t('devices.title'), format.number(user.devices)],
        ]}
      />
    </Card>
  )
}
