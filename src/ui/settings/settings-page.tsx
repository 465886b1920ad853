'use client'

import type { Outputs } from '@pigeonhole/client'
import { AccountCard } from './account-card.tsx'
import { DevicesCard } from './devices-card.tsx'
import { PreferencesCard } from './preferences-card.tsx'

type SettingsPageProps = { devices: Outputs['devices']['list']; preferences: Outputs['preferences']['get'] }

export function SettingsPage({ devices, preferences }: SettingsPageProps) {
  return (
    <div className="mx-auto max-w-3xl space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight">Settings</h1>
      <PreferencesCard initial={preferences} />
      <DevicesCard initial={devices} />
      <AccountCard />
    </div>
  )
}
