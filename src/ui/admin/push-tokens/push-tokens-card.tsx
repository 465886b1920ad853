'use client'

import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { Snippet } from '../../components/snippet.tsx'
import { PushTokenGuide } from '../../guidance/admin-guides.tsx'
import { pushTokenSnippet } from '../../guidance/snippets.ts'
import { useSiteUrl } from '../../guidance/use-site-url.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import { admin } from '../admin-client.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { PagedList } from '../paged-list.tsx'
import { CreatePushTokenForm } from './create-push-token-form.tsx'
import { PushTokenRow } from './push-token-row.tsx'

type PushTokensCardProps = { owner?: { id: string; name: string } }

/** Push tokens: of one user, or of all. */
export function PushTokensCard({ owner }: PushTokensCardProps) {
  const { t } = useWords()
  const queries = useQueryClient()
  const siteUrl = useSiteUrl()
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState<string>()
  const refresh = () => queries.invalidateQueries({ queryKey: ADMIN_KEYS.pushTokens })
  const create = !creating && !made && (
    <Button onClick={() => setCreating(true)}>{t('admin.pushTokens.new')}</Button>
  )
  return (
    <Card
      title={owner ? t('admin.pushTokens.title') : t('admin.pushTokens.all')}
      description={t('admin.pushTokens.text')}
      actions={create}
    >
      {made && (
        <ShownOnce
          title={t('admin.pushTokens.madeTitle')}
          label={t('admin.pushTokens.secret')}
          secret={made}
          onDone={() => setMade(undefined)}
        >
          <Snippet label={t('admin.pushTokens.command')} code={pushTokenSnippet(siteUrl, made)} />
        </ShownOnce>
      )}
      {creating && (
        <CreatePushTokenForm
          ownerId={owner?.id}
          onCreated={(token) => {
            setMade(token)
            setCreating(false)
            void refresh()
          }}
          onCancel={() => setCreating(false)}
        />
      )}
      <PagedList
        label={t('admin.pushTokens.title')}
        queryKey={[...ADMIN_KEYS.pushTokens, owner?.id]}
        fetchPage={(cursor, signal) => admin.pushTokens.list({ cursor, userId: owner?.id }, signal)}
        row={(token) => <PushTokenRow key={token.id} token={token} showOwner={!owner} onRevoked={refresh} />}
        empty={
          !creating &&
          !made && (
            <EmptyState icon={KeyRound} title={t('admin.pushTokens.emptyTitle')} guide={<PushTokenGuide />}>
              {t('admin.pushTokens.emptyText')}
            </EmptyState>
          )
        }
      />
    </Card>
  )
}
