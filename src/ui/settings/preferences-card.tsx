import { type ReactNode, useId } from 'react'
import { Card } from '../components/card.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Switch } from '../components/switch.tsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { MutedCategories } from './muted-categories.tsx'
import { type Preferences, usePreferences } from './use-preferences.ts'

type PreferencesCardProps = {
  initial: Preferences
  /** Categories to offer for muting. */
  categories: string[]
  /** Settings of this browser. */
  children: ReactNode
}

/** Turns push notifications on or off and edits the muted categories. Saves every change at once. */
export function PreferencesCard({ initial, categories, children }: PreferencesCardProps) {
  const { t } = useMessages()
  const { data, save, setMuted } = usePreferences(initial)
  const labelId = useId()
  return (
    <Card title={t('notifications.title')} titleHidden="phones" description={t('notifications.text')}>
      <div className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
        <div>
          <p id={labelId} className="font-medium">
            {t('notifications.push')}
          </p>
          <p className="text-sm text-ink-soft">
            {data.pushEnabled ? t('notifications.on') : t('notifications.off')}
          </p>
        </div>
        <Switch
          aria-labelledby={labelId}
          checked={data.pushEnabled}
          onCheckedChange={(pushEnabled) => save.mutate({ pushEnabled })}
        />
      </div>
      {children}
      <MutedCategories muted={data.mutedCategories} known={categories} onMute={setMuted} />
      <ErrorNotice error={save.error} className="mx-4 mb-4 sm:mx-5" />
    </Card>
  )
}
