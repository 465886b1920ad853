'use client'

import type { Outputs } from '@pigeonhole/client'
import { createPushDevice } from '@pigeonhole/client/push'
import { type ReactNode, useState } from 'react'
import { useClients } from '../context/use-clients.ts'
import { useMessages } from '../i18n/messages-provider.tsx'
import { AccountCard } from './account-card.tsx'
import { ApiKeysCard } from './api-keys-card.tsx'
import { BrowserPushSwitch } from './browser-push-switch.tsx'
import { DevicesCard } from './devices-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { ProfileCard } from './profile-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { SettingsNav } from './settings-nav.tsx'
import { TopicsCard } from './topics-card.tsx'

type SettingsPageProps = {
  devices: Outputs['devices']['list']
  preferences: Outputs['preferences']['get']
  /** Categories of the user's newest messages. */
  categories: string[]
  sessions: Outputs['account']['sessions']
  apiKeys: Outputs['apiKeys']['list']
  passkeys: Outputs['passkeys']['list']
  /** True if web push is configured. */
  hasWebPush: boolean
}

export function SettingsPage(props: SettingsPageProps) {
  const { devices, preferences, categories, sessions, apiKeys, passkeys, hasWebPush } = props
  const { client } = useClients()
  const [pushDevice] = useState(() => createPushDevice({ client }))
  const { t } = useMessages()
  const sections: { id: string; label: string; cards: ReactNode }[] = [
    { id: 'profile', label: t('profile.title'), cards: <ProfileCard /> },
    {
      id: 'notifications',
      label: t('notifications.title'),
      cards: (
        <>
          <PreferencesCard initial={preferences} categories={categories}>
            {hasWebPush && <BrowserPushSwitch pushDevice={pushDevice} />}
          </PreferencesCard>
          <DevicesCard initial={devices} pushDevice={pushDevice} />
          <TopicsCard />
        </>
      ),
    },
    { id: 'api-keys', label: t('apiKeys.title'), cards: <ApiKeysCard initial={apiKeys} /> },
    {
      id: 'security',
      label: t('settings.security'),
      cards: (
        <>
          <PasswordCard passkeys={passkeys} />
          <PasskeysCard initial={passkeys} />
          <SessionsCard initial={sessions} />
          <AccountCard passkeys={passkeys} />
        </>
      ),
    },
  ]
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">{t('settings.title')}</h1>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[11rem_minmax(0,1fr)]">
        <SettingsNav sections={sections} />
        <div className="space-y-6">
          {sections.map(({ id, cards }) => (
            <div key={id} id={id} className="scroll-mt-4 space-y-6">
              {cards}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
