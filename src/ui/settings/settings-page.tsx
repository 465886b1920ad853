'use client'

import type { Outputs } from '@pigeonhole/client'
import type { ReactNode } from 'react'
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
import { firstCardId, SettingsNav } from './settings-nav.tsx'
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

/** A further card of a section, with its own link on wide screens. */
type MoreCard = { id: string; label: string; card: ReactNode }
type Section = {
  id: string
  label: string
  card: ReactNode
  /** Label of a link to the first card, unless the section's own link says what it is. */
  cardLabel?: string
  more: MoreCard[]
}

export function SettingsPage(props: SettingsPageProps) {
  const { devices, preferences, categories, sessions, apiKeys, passkeys, hasWebPush } = props
  const { t } = useMessages()
  const sections: Section[] = [
    { id: 'profile', label: t('profile.title'), card: <ProfileCard />, more: [] },
    {
      id: 'notifications',
      label: t('notifications.title'),
      card: (
        <PreferencesCard initial={preferences} categories={categories}>
          {hasWebPush && <BrowserPushSwitch />}
        </PreferencesCard>
      ),
      more: [
        {
          id: 'devices',
          label: t('devices.title'),
          card: <DevicesCard initial={devices} />,
        },
        { id: 'topics', label: t('topics.title'), card: <TopicsCard /> },
      ],
    },
    { id: 'api-keys', label: t('apiKeys.title'), card: <ApiKeysCard initial={apiKeys} />, more: [] },
    {
      id: 'security',
      label: t('settings.security'),
      card: <PasswordCard passkeys={passkeys} />,
      cardLabel: t('common.password'),
      more: [
        { id: 'passkeys', label: t('passkeys.title'), card: <PasskeysCard initial={passkeys} /> },
        { id: 'sessions', label: t('sessions.title'), card: <SessionsCard initial={sessions} /> },
        { id: 'account', label: t('account.title'), card: <AccountCard passkeys={passkeys} /> },
      ],
    },
  ]
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">{t('settings.title')}</h1>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[11rem_minmax(0,1fr)]">
        <SettingsNav
          sections={sections.map(({ id, label, cardLabel, more }) => ({
            id,
            label,
            entries: cardLabel ? [{ id: firstCardId(id), label: cardLabel }, ...more] : more,
          }))}
        />
        <div className="space-y-6">
          {sections.map(({ id, card, more }) => (
            <div key={id} id={id} className="scroll-mt-4 space-y-6">
              <div id={firstCardId(id)} className="scroll-mt-4">
                {card}
              </div>
              {more.map(({ id, card }) => (
                <div key={id} id={id} className="scroll-mt-4">
                  {card}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
