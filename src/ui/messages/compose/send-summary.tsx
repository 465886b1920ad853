import { LocalTime } from '../../components/local-time.tsx'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Translator } from '../../i18n/translator.ts'
import { type Draft, userIdsIn } from './draft.ts'

/** Number of users that the summary names. */
const MAX_NAMES = 2

type SendSummaryProps = {
  draft: Draft
  /** True if the user owns the push token. */
  toYou: boolean
  /** Number of devices that would receive the message now, if it is known and the button does not say it. */
  devices: number | undefined
}

/** Says who gets the message, on how many devices and when, beside the button that sends it. */
export function SendSummary({ draft, toYou, devices }: SendSummaryProps) {
  const { t } = useMessages()
  const sendAt = new Date(draft.sendAt)
  return (
    <p className="flex min-w-0 text-sm text-ink-soft max-sm:basis-full sm:flex-1">
      <bdi className="truncate">{recipientsOf(draft, toYou, t)}</bdi>
      {/* Stays visible beside long names. */}
      <span className="shrink-0 whitespace-pre">
        {draft.app && ` · ${draft.app}`}
        {devices !== undefined && ` · ${t('compose.summaryDevices', { count: devices })}`}
        {' · '}
        {!draft.later ? (
          t('compose.whenNow')
        ) : Number.isNaN(sendAt.getTime()) ? (
          t('compose.noTime')
        ) : (
          <LocalTime at={sendAt.toISOString()} withTime />
        )}
      </span>
    </p>
  )
}

/** Returns the recipients in a few words. `toYou`: the user owns the push token. */
export function recipientsOf({ to, topic, picked, users }: Draft, toYou: boolean, t: Translator): string {
  if (to === 'owner') return t(toYou ? 'compose.toYou' : 'compose.toOwner')
  if (to === 'all') return t('compose.toAll')
  if (to === 'topic')
    return topic.trim() === '' ? t('compose.noTopic') : t('compose.summaryTopic', { topic: topic.trim() })
  const names = picked.map(({ name }) => name)
  const more = Math.max(0, names.length - MAX_NAMES) + userIdsIn(users).length
  if (names.length === 0)
    return more === 0 ? t('compose.noUsers') : t('compose.summaryUsers', { count: more })
  const shown = names.slice(0, MAX_NAMES).join(', ')
  return more === 0 ? shown : t('compose.summaryMore', { names: shown, count: more })
}
