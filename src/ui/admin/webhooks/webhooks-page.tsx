'use client'

import type { Webhook } from '@pigeonhole/client/admin'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import clsx from 'clsx'
import { Webhook as WebhookIcon } from 'lucide-react'
import { Breakable } from '../../components/breakable.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Loading } from '../../components/loading.tsx'
import { NewSecret } from '../../components/new-secret.tsx'
import { useSecretForm } from '../../components/use-secret-form.ts'
import { Guide } from '../../guidance/guide.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { AppLink } from '../../layout/app-link.tsx'
import { admin } from '../admin-client.ts'
import { AdminPage } from '../admin-page.tsx'
import { Cell, ColumnHeads, EmptyCell } from '../columns.tsx'
import { type FirstResponse, startingWith } from '../first-page.ts'
import { ADMIN_KEYS } from '../keys.ts'
import { EventList } from './event-list.tsx'
import { LastDelivery } from './last-delivery.tsx'
import { SuccessRate } from './success-rate.tsx'
import { WebhookBadge } from './webhook-badge.tsx'
import { WebhookForm } from './webhook-form.tsx'

/** Columns of the list on wide screens: URL, events, state, success rate, last attempt. */
const GRID = 'gap-x-4 lg:grid-cols-[minmax(0,4fr)_minmax(0,3fr)_7.5rem_7.5rem_minmax(0,3fr)]'

/**
 * A value below the URL. On phones, it is below its label, so that events have the whole width. On wider screens without
 * columns, the values of all labels begin at one edge.
 */
const LABELED =
  'max-lg:col-span-2 max-sm:mt-1 max-sm:flex-col max-sm:items-start sm:max-lg:grid sm:max-lg:grid-cols-[7.5rem_minmax(0,1fr)]'

/** The webhooks, with a form that creates one. */
export function WebhooksPage({ first }: { first: FirstResponse<{ items: Webhook[] }> }) {
  const { t } = useMessages()
  const queries = useQueryClient()
  const form = useSecretForm<string>(() => queries.invalidateQueries({ queryKey: ADMIN_KEYS.webhooks }))
  const { data, error } = useQuery({
    ...startingWith(first),
    queryKey: ADMIN_KEYS.webhooks,
    queryFn: ({ signal }) => admin.webhooks.list(signal),
    refetchOnWindowFocus: false,
  })
  const create = form.isIdle && (
    <Button variant="primary" onClick={form.open}>
      {t('admin.webhooks.new')}
    </Button>
  )
  return (
    <AdminPage title={t('admin.webhooks.title')} description={t('admin.webhooks.text')} actions={create}>
      {form.created && (
        <NewSecret
          title={t('admin.webhooks.createdTitle')}
          label={t('admin.webhooks.secret')}
          secret={form.created}
          onDone={form.done}
        >
          <p className="text-sm text-ink-soft">{t('admin.webhooks.secretText')}</p>
        </NewSecret>
      )}
      {form.isOpen && (
        <WebhookForm
          submitLabel={t('admin.webhooks.create')}
          save={({ description, ...fields }) =>
            admin.webhooks.create({ ...fields, ...(description !== null && { description }) })
          }
          onSaved={({ secret }) => form.onCreated(secret)}
          onCancel={form.cancel}
        />
      )}
      <ErrorNotice error={error} className="m-4 sm:mx-5" />
      {!data && !error && <Loading />}
      {data?.items.length === 0 && form.isIdle && (
        <EmptyState
          icon={WebhookIcon}
          title={t('admin.webhooks.emptyTitle')}
          guide={<Guide topic="webhook" />}
        >
          {t('admin.webhooks.emptyText')}
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <>
          <ColumnHeads
            grid={GRID}
            columns={[
              { label: t('admin.webhooks.url') },
              { label: t('admin.webhooks.events') },
              { label: t('admin.status') },
              { label: t('admin.webhooks.delivered') },
              { label: t('admin.webhooks.lastAttempt') },
            ]}
          />
          <ul aria-label={t('admin.webhooks.title')} className="divide-y divide-line">
            {data.items.map((webhook) => (
              <li
                key={webhook.id}
                className={clsx(
                  'grid items-start gap-y-1 px-4 py-3 max-lg:grid-cols-[minmax(0,1fr)_auto] sm:px-5 lg:items-center',
                  GRID,
                )}
              >
                {/* On narrow phones, the state is below the URL. */}
                <div className="min-w-0 max-[24rem]:-order-2 max-[24rem]:col-span-2">
                  <AppLink
                    href={`/admin/webhooks/${webhook.id}`}
                    className="relative inline-flex min-h-8 items-center font-medium text-accent underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2"
                  >
                    <span className="min-w-0 wrap-anywhere">
                      <Breakable>{webhook.url}</Breakable>
                    </span>
                  </AppLink>
                  {webhook.description && <p className="text-sm text-ink-soft">{webhook.description}</p>}
                </div>
                <Cell label={t('admin.webhooks.events')} className={LABELED}>
                  <EventList events={webhook.events} />
                </Cell>
                <Cell
                  label={t('admin.status')}
                  isPlain
                  className="max-[24rem]:-order-1 max-[24rem]:col-span-2 min-[24rem]:max-lg:col-start-2 min-[24rem]:max-lg:row-start-1 min-[24rem]:max-lg:pt-1.5"
                >
                  <WebhookBadge webhook={webhook} />
                </Cell>
                {webhook.recent.delivered + webhook.recent.failed > 0 ? (
                  <Cell label={t('admin.webhooks.delivered')} className={LABELED}>
                    <SuccessRate webhook={webhook} />
                  </Cell>
                ) : (
                  <EmptyCell label={t('admin.webhooks.delivered')} />
                )}
                <Cell label={t('admin.webhooks.lastAttempt')} className={LABELED}>
                  <LastDelivery webhook={webhook} />
                </Cell>
              </li>
            ))}
          </ul>
        </>
      )}
    </AdminPage>
  )
}
