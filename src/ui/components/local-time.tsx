import clsx from 'clsx'
import { useMessages } from '../i18n/messages-provider.tsx'
import { browserTimeZone } from '../i18n/time-zone.ts'
import { useBrowserValue } from './use-browser-value.ts'

type LocalTimeProps = {
  at: string
  dayOnly?: boolean
  /** Shows the time of day even for other years. */
  withTime?: boolean
  /** Leaves out the day, where a heading shows it. */
  timeOnly?: boolean
  /** Shows the seconds and the time zone, as the tooltip does. */
  exact?: boolean
}

/**
 * A time in the reader's time zone. On the first visit, the server does not know the zone: an invisible time then
 * reserves the space until the browser shows its own.
 */
export function LocalTime({
  at,
  dayOnly = false,
  withTime = false,
  timeOnly = false,
  exact,
}: LocalTimeProps) {
  const { formatLocale, timeZone: renderedZone } = useMessages()
  const timeZone = useBrowserValue<string | undefined>(browserTimeZone, () => renderedZone)
  const exactTime = formatter(formatLocale, {
    timeZone: timeZone ?? 'UTC',
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(new Date(at))
  return (
    // Browsers and Node can format differently, such as the space before "PM".
    <time
      dateTime={at}
      title={exactTime}
      className={clsx('whitespace-nowrap', timeZone === undefined && 'invisible')}
      suppressHydrationWarning
    >
      {exact ? exactTime : formatTime(at, formatLocale, { dayOnly, withTime, timeOnly }, timeZone ?? 'UTC')}
    </time>
  )
}

function formatTime(
  at: string,
  formatLocale: string,
  { dayOnly, withTime, timeOnly }: Omit<LocalTimeProps, 'at' | 'exact'>,
  timeZone: string,
): string {
  const time = new Date(at)
  if (timeOnly) return formatter(formatLocale, { timeZone, hour: '2-digit', minute: '2-digit' }).format(time)
  const year = formatter('en', { year: 'numeric', timeZone })
  const thisYear = year.format(time) === year.format(new Date())
  return formatter(formatLocale, {
    timeZone,
    day: 'numeric',
    month: 'short',
    ...(!thisYear && { year: 'numeric' }),
    ...((withTime || (thisYear && !dayOnly)) && { hour: '2-digit', minute: '2-digit' }),
  }).format(time)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Caches formatters, because creating one takes some hundred times longer than formatting with it. */
function formatter(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${Object.entries(options).join()}`
  const cached = formatters.get(key)
  if (cached) return cached
  const created = new Intl.DateTimeFormat(locale, options)
  formatters.set(key, created)
  return created
}
