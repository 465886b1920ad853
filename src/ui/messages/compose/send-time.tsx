import type { ComponentProps } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useBrowserValue } from '../../components/use-browser-value.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import { browserTimeZone } from '../../i18n/time-zone.ts'

type SendTimeProps = Omit<ComponentProps<typeof TextField>, 'label' | 'type'> & { value: string }

/** Field for the time to send a message. Its hint shows the time zone and the UTC offset on that day. */
export function SendTime({ value, ...field }: SendTimeProps) {
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
      hint={zone && t('compose.timeZone', { zone, offset: offsetOf(time, formatLocale) })}
      className="max-w-80"
      {...field}
    />
  )
}

/** Returns the UTC offset at a time, such as "GMT+1". */
function offsetOf(time: Date, formatLocale: string): string {
  const parts = new Intl.DateTimeFormat(formatLocale, { timeZoneName: 'shortOffset' }).formatToParts(time)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
