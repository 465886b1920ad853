'use client'

import * as Switch from '@radix-ui/react-switch'
import { useId } from 'react'
import { Card } from '../components/card.tsx'
import { Notice } from '../components/notice.tsx'
import { errorText } from '../context/error-text.ts'
import { useWords } from '../i18n/messages-provider.tsx'
import { MutedCategories } from './muted-categories.tsx'
import { type Preferences, usePreferences } from './use-preferences.ts'

/** Push notifications on or off, and the muted categories. Every change is saved at once. */
export function PreferencesCard({ initial }: { initial: Preferences }) {
  const { t } = useWords()
  const { data, save } = usePreferences(initial)
  const labelId = useId()
  return (
    <Card title={t('notifications.title')} description={t('notifications.text')}>
      <div className="flex items-center justify-between gap-4 px-4 py-4 sm:px-5">
        <div>
          <p id={labelId} className="font-medium">
            {t('notifications.push')}
          </p>
          <p className="text-sm text-ink-soft">
            {data.pushEnabled ? t('notifications.on') : t('notifications.off')}
          </p>
        </div>
        <Switch.Root
          aria-labelledby={labelId}
          checked={data.pushEnabled}
          onCheckedChange={(pushEnabled) => save.mutate({ pushEnabled })}
          className="relative h-7 w-12 shrink-0 rounded-full bg-line-strong transition-colors data-[state=checked]:bg-accent forced-colors:border"
        >
          <Switch.Thumb className="block size-5 translate-x-1 rounded-full bg-surface transition-transform data-[state=checked]:translate-x-6 forced-colors:bg-[ButtonText] motion-reduce:transition-none" />
        </Switch.Root>
      </div>
      <MutedCategories
        muted={data.mutedCategories}
        onChange={(mutedCategories) => save.mutate({ mutedCategories })}
      />
      {save.isError && (
        <Notice tone="error" className="mx-4 mb-4 sm:mx-5">
          {errorText(t, save.error)}
        </Notice>
      )}
    </Card>
  )
}
