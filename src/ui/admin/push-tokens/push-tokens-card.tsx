import type { AdminPushToken } from '@pigeonhole/client/admin'
import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { NewSecret } from '../../components/new-secret.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { useSecretForm } from '../../components/use-secret-form.ts'
import { PushTokenGuide } from '../../guidance/admin-guides.tsx'
import { pushTokenSnippet } from '../../guidance/snippets.ts'
import { useSiteUrl } from '../../guidance/use-site-url.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import type { FirstPage } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { CreatePushTokenForm } from './create-push-token-form.tsx'
import { PushTokenRow } from './push-token-row.tsx'

type PushTokensCardProps = { owner?: { id: string; name: string }; first?: FirstPage<AdminPushToken> }

/** Push tokens of one user or, without `owner`, of all users. */
export function PushTokensCard({ owner, first }: PushTokensCardProps) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const siteUrl = useSiteUrl()
  const refresh = () => queries.invalidateQueries({ queryKey: ADMIN_KEYS.pushTokens })
  const form = useSecretForm<string>(refresh)
  const create = form.isIdle && <Button onClick={form.open}>{t('admin.pushTokens.new')}</Button>
  return (
    <Card
      title={owner ? t('admin.pushTokens.title') : t('admin.pushTokens.all')}
      description={t('admin.pushTokens.text')}
      actions={create}
    >
      {form.created && (
        <NewSecret
          title={t('admin.pushTokens.createdTitle')}
          label={t('admin.pushTokens.secret')}
          secret={form.created}
          onDone={form.done}
        >
          <Snippet label={t('admin.pushTokens.command')} code={pushTokenSnippet(siteUrl, form.created)} />
        </NewSecret>
      )}
      {form.isOpen && (
        <CreatePushTokenForm ownerId={owner?.id} onCreated={form.onCreated} onCancel={form.cancel} />
      )}
      <PagedList
        label={t('admin.pushTokens.title')}
        queryKey={[...ADMIN_KEYS.pushTokens, owner?.id]}
        first={first}
        fetchPage={(cursor, signal) => admin.pushTokens.list({ cursor, userId: owner?.id }, signal)}
        row={(token) => <PushTokenRow key={token.id} token={token} showOwner={!owner} onRevoked={refresh} />}
        empty={
          form.isIdle && (
            <EmptyState icon={KeyRound} title={t('admin.pushTokens.emptyTitle')} guide={<PushTokenGuide />}>
              {t('admin.pushTokens.emptyText')}
            </EmptyState>
          )
        }
      />
    </Card>
  )
}
