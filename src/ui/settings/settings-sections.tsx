'use client'

// One entry for the pages of all sections: with an entry each, the bundler splits the scripts of all pages into more
// chunks, which compress worse by 2 KB.

import type { Outputs } from '@pigeonhole/client'
import { AccountCard } from './account-card.tsx'
import { BrowserPushSwitch } from './browser-push-switch.tsx'
import { DevicesCard } from './devices-card.tsx'
import { PasskeysCard } from './passkeys-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { TopicsCard } from './topics-card.tsx'

export { ApiKeysCard } from './api-keys-card.tsx'
export { ProfileCard } from './profile-card.tsx'

type NotificationSettingsProps = {
  devices: Outputs['devices']['list']
  preferences: Outputs['preferences']['get']
  /** Categories of the user's newest messages. */
  categories: string[]
  /** True if web push is configured. */
  hasWebPush: boolean
}

/** Settings of the messages that the user receives, and of the devices that receive them. */
export function NotificationSettings({
  devices,
  preferences,
  categories,
  hasWebPush,
}: NotificationSettingsProps) {
  return (
    <>
      <PreferencesCard initial={preferences} categories={categories}>
        {hasWebPush && <BrowserPushSwitch />}
      </PreferencesCard>
      <DevicesCard initial={devices} />
      <TopicsCard />
    </>
  )
}

type SecuritySettingsProps = {
  sessions: Outputs['account']['sessions']
  passkeys: Outputs['passkeys']['list']
}

/** The user's credentials and sessions, and the deletion of the account. */
export function SecuritySettings({ sessions, passkeys }: SecuritySettingsProps) {
  return (
    <>
      <PasswordCard passkeys={passkeys} />
      <PasskeysCard initial={passkeys} />
      <SessionsCard initial={sessions} />
      <AccountCard passkeys={passkeys} />
    </>
  )
}
