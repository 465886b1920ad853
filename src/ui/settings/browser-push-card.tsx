'use client'

import {
  disableWebPush,
  enableWebPush,
  WebPushError,
  webPushEndpoint,
  webPushState,
} from '@pigeonhole/client/push'
import * as Switch from '@radix-ui/react-switch'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Card } from '../components/card.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useClients } from '../context/use-clients.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { DEVICES_KEY } from './devices-key.ts'

const STATE_KEY = ['browser-push']
/** As devices.list shows tokens. */
const SUFFIX_LENGTH = 8

/** Notifications of this browser, on or off. */
export function BrowserPushCard() {
  const { client } = useClients()
  const { t, locale } = useWords()
  const queries = useQueryClient()
  const labelId = useId()
  const textId = useId()
  const state = useQuery({
    queryKey: STATE_KEY,
    queryFn: async () => {
      const state = await webPushState()
      if (state !== 'on') return state
      // Subscribed here, but maybe by somebody else who has used this browser.
      const endpoint = await webPushEndpoint()
      const { items } = await client.devices.list.query()
      const isOurs = items.some(
        ({ platform, tokenSuffix, disabledReason }) =>
          platform === 'web' && disabledReason === null && tokenSuffix === endpoint?.slice(-SUFFIX_LENGTH),
      )
      return isOurs ? 'on' : 'off'
    },
  })
  const change = useMutation({
    mutationFn: async (on: boolean) => {
      if (on) await enableWebPush({ client, locale })
      else await disableWebPush({ client })
    },
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: STATE_KEY }),
        queries.invalidateQueries({ queryKey: DEVICES_KEY }),
      ]),
  })
  const isPossible = state.data === 'on' || state.data === 'off'
  const fault = change.error instanceof WebPushError ? change.error.fault : null
  return (
    <Card title={t('browserPush.title')} description={t('browserPush.text')}>
      <div className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
        <div>
          <p id={labelId} className="font-medium">
            {t('browserPush.switch')}
          </p>
          <p id={textId} className="text-sm text-ink-soft">
            {state.data && t(`browserPush.${state.data}`)}
          </p>
        </div>
        <Switch.Root
          aria-labelledby={labelId}
          aria-describedby={textId}
          aria-busy={change.isPending}
          checked={change.isPending ? change.variables : state.data === 'on'}
          disabled={!isPossible}
          onCheckedChange={(on) => {
            if (!change.isPending) change.mutate(on)
          }}
          className="relative h-7 w-12 shrink-0 rounded-full bg-line-strong transition-colors disabled:cursor-not-allowed disabled:opacity-50 data-[state=checked]:bg-accent forced-colors:border"
        >
          <Switch.Thumb className="block size-5 translate-x-1 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-6 forced-colors:bg-[ButtonText] motion-reduce:transition-none" />
        </Switch.Root>
      </div>
      {change.isError && (
        <Notice tone="error" className="mx-4 mb-4 sm:mx-5">
          {fault ? t(`browserPush.fault.${fault}`) : errorText(t, change.error)}
        </Notice>
      )}
    </Card>
  )
}
