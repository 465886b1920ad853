import { lazy, Suspense } from 'react'
import { Radio } from '../../components/radio.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Compose } from './use-compose.ts'

/** For messages that are sent later only. */
const LaterTime = lazy(async () => ({ default: (await import('./later-time.tsx')).LaterTime }))

/** Fields for the time: now, or a later one. */
export function SendTime({ compose }: { compose: Compose }) {
  const { t } = useMessages()
  const { draft, change, field } = compose
  return (
    <div className="space-y-3 px-4 py-2 sm:px-5">
      <fieldset>
        <legend className="sr-only">{t('compose.when')}</legend>
        <div className="flex flex-wrap gap-x-6">
          <Radio
            name="when"
            label={t('compose.whenNow')}
            checked={!draft.later}
            onChange={() => change({ later: false })}
          />
          <Radio
            name="when"
            label={t('compose.whenLater')}
            checked={draft.later}
            onChange={() => change({ later: true })}
          />
        </div>
      </fieldset>
      {draft.later && (
        <Suspense>
          <LaterTime {...field('sendAt')} />
        </Suspense>
      )}
    </div>
  )
}
