'use client'

import { type ComponentProps, useSyncExternalStore } from 'react'
import { TextField } from '../../components/text-field.tsx'
import { useWords } from '../../i18n/messages-provider.tsx'

const subscribeToNothing = () => () => {}

type SendTimeProps = Omit<ComponentProps<typeof TextField>, 'label' | 'type'> & { value: string }

/** When a message is to be sent. Says in which time zone that is, with its difference to UTC on that day. */
export function SendTime({ value, ...field }: SendTimeProps) {
  const { t, formatLocale } = useWords()
  // The server does not know it.
  const zone = useSyncExternalStore(
    subscribeToNothing,
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => '',
  )
  const chosen = new Date(value)
  const at = Number.isNaN(chosen.getTime()) ? new Date() : chosen
  return (
    <TextField
      label={t('compose.sendAt')}
      type="datetime-local"
      required
      value={value}
      hint={zone && t('compose.timeZone', { zone, offset: offsetOf(at, formatLocale) })}
      className="max-w-80"
      {...field}
    />
  )
}

/** Like GMT+1. */
function offsetOf(time: Date, formatLocale: string): string {
  const parts = new Intl.DateTimeFormat(formatLocale, { timeZoneName: 'shortOffset' }).formatToParts(time)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}
