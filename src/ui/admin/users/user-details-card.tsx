import type { AdminUser } from '@pigeonhole/client/admin'
import { Card } from '../../components/card.tsx'
import { CopyableCode } from '../../components/copy-button.tsx'
import { DetailList } from '../../components/detail-list.tsx'
import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'

export function UserDetailsCard({ user }: { user: AdminUser }) {
  const { t } = useMessages()
  const { id, name, email, externalId, createdAt, lastSeenAt } = user
  // The email is easiest to recognize in the filter, but finds the user only if it is verified.
  const search = new URLSearchParams({ user: (user.emailVerified && user.email) || id })
  const link =
    'relative -my-1 inline-flex min-h-8 items-center text-sm text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2'
  const audit = (
    <AppLink href={`/admin/audit?${search}`} className={link}>
      {t('admin.users.audit')}
    </AppLink>
  )
  return (
    <Card title={t('admin.users.facts')} actions={audit} className="[&>header>div]:basis-auto">
      <DetailList
        details={[
          // Without a name, it is the page's heading.
          [t('common.email'), name === null ? null : email],
          [t('admin.users.id'), <CopyableCode key="id" code={id} label={t('admin.files.copyId')} />],
          [t('admin.users.externalId'), externalId],
          [t('admin.users.created'), <LocalTime key="created" at={createdAt} />],
          [
            t('admin.users.lastSeen'),
            lastSeenAt ? <LocalTime key="seen" at={lastSeenAt} /> : t('admin.users.neverSeen'),
          ],
          [
            t('admin.files.title'),
            <AppLink key="files" href={`/admin/files?${search}&state=READY`} className={link}>
              {t('admin.users.readyFiles', { count: user.files })}
            </AppLink>,
          ],
        ]}
      />
    </Card>
  )
}
