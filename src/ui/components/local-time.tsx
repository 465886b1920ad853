import { useMessages } from '../i18n/messages-provider.tsx'
import { useBrowserValue } from './use-browser-value.ts'

/** A time in the user's time zone. The server does not know it and renders UTC. */
export function LocalTime({ at, dayOnly = false }: { at: string; dayOnly?: boolean }) {
  const { formatLocale } = useMessages()
  const text = useBrowserValue(
    () => formatTime(at, formatLocale, dayOnly),
    () => formatTime(at, formatLocale, dayOnly, 'UTC'),
  )
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}

function formatTime(at: string, formatLocale: string, dayOnly: boolean, timeZone?: string): string {
  const time = new Date(at)
  const thisYear = time.getFullYear() === new Date().getFullYear()
  return formatter(formatLocale, thisYear, dayOnly, timeZone).format(time)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(
  formatLocale: string,
  thisYear: boolean,
  dayOnly: boolean,
  timeZone: string | undefined,
): Intl.DateTimeFormat {
  const key = `${formatLocale} ${thisYear} ${dayOnly} ${timeZone}`
  const cached = formatters.get(key)
  if (cached) return cached
  const created = new Intl.DateTimeFormat(formatLocale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    ...(!thisYear && { year: 'numeric' }),
    ...(thisYear && !dayOnly && { hour: '2-digit', minute: '2-digit' }),
  })
  formatters.set(key, created)
  return created
}
