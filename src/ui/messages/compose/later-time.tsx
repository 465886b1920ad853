import type { ComponentProps } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useBrowserValue } from '../../components/use-browser-value.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { browserTimeZone } from '../../i18n/time-zone.ts'

type LaterTimeProps = Omit<ComponentProps<typeof TextField>, 'label' | 'type'> & { value: string }

/** Field for a later time. Its hint shows the time in words, the time zone and the UTC offset on that day. */
export function LaterTime({ value, ...field }: LaterTimeProps) {
  const { t, formatLocale } = useMessages()
  const zone = useBrowserValue(browserTimeZone, () => '')
  const chosen = new Date(value)
  const time = Number.isNaN(chosen.getTime()) ? new Date() : chosen
  return (
    <TextField
      label={t('compose.sendAt')}
      type="datetime-local"
      required
      value={value}
      hint={
        zone &&
        [
          time === chosen && readable(time, formatLocale),
          t('compose.timeZone', { zone, offset: offsetOf(time, formatLocale) }),
        ]
          .filter(Boolean)
          .join('. ')
      }
      // The hint can be wider than the field.
      className="pb-2 [&_input]:max-w-80"
      {...field}
    />
  )
}

/** Returns a time with its weekday. Browsers write the field's date in their own format. */
function readable(time: Date, formatLocale: string): string {
  return new Intl.DateTimeFormat(formatLocale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  }).format(time)
}

/** Returns the UTC offset at a time, such as "GMT+1". */
function offsetOf(time: Date, formatLocale: string): string {
  const parts = new Intl.DateTimeFormat(formatLocale, { timeZoneName: 'shortOffset' }).formatToParts(time)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
