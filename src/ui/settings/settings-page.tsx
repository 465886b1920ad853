'use client'

import type { Outputs } from '@pigeonhole/client'
import { createPushDevice } from '@pigeonhole/client/push'
import { useState } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AccountCard } from './account-card.tsx'
import { ApiKeysCard } from './api-keys-card.tsx'
import { BrowserPushCard } from './browser-push-card.tsx'
import { DevicesCard } from './devices-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TopicsCard } from './topics-card.tsx'

type SettingsPageProps = {
  devices: Outputs['devices']['list']
  preferences: Outputs['preferences']['get']
  sessions: Outputs['account']['sessions']
  apiKeys: Outputs['apiKeys']['list']
  passkeys: Outputs['passkeys']['list']
  /** True if web push is configured. */
  hasWebPush: boolean
}

export function SettingsPage(props: SettingsPageProps) {
  const { devices, preferences, sessions, apiKeys, passkeys, hasWebPush } = props
  const { client } = useClients()
  const [pushDevice] = useState(() => createPushDevice({ client }))
  const { t } = useMessages()
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">{t('settings.title')}</h1>
      <PreferencesCard initial={preferences} />
      {hasWebPush && <BrowserPushCard pushDevice={pushDevice} />}
      <DevicesCard initial={devices} pushDevice={pushDevice} />
      <TopicsCard />
      <PasskeysCard initial={passkeys} />
      <SessionsCard initial={sessions} />
      <ApiKeysCard initial={apiKeys} />
      <AccountCard />
    </div>
  )
}
