import { useMessages } from '../i18n/messages-provider.tsx'
import { browserTimeZone } from '../i18n/time-zone.ts'
import { useBrowserValue } from './use-browser-value.ts'

const DAY_MS = 86_400_000

/** Returns the function that tells the day of a time in the reader's time zone, such as 2026-11-27. */
export function useDayOf(): (at: string | number) => string {
  const { timeZone: renderedZone } = useMessages()
  const timeZone = useBrowserValue(browserTimeZone, () => renderedZone ?? 'UTC')
  // Swedish dates are ISO dates.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  return (at) => format.format(new Date(at))
}

type DayHeadingProps = {
  /** An ISO date. */
  day: string
  dayOf: ReturnType<typeof useDayOf>
  /** Level of the heading. */
  level?: 2 | 3
}

/** Heading of the items of one day in a list. */
export function DayHeading({ day, dayOf, level = 3 }: DayHeadingProps) {
  const Heading = level === 2 ? 'h2' : 'h3'
  const { t, formatLocale } = useMessages()
  const today = dayOf(Date.now())
  // By the calendar, because a day can have 23 or 25 hours.
  const yesterday = new Date(Date.parse(today) - DAY_MS).toISOString().slice(0, 10)
  const date = new Intl.DateTimeFormat(formatLocale, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(day.slice(0, 4) !== today.slice(0, 4) && { year: 'numeric' }),
  }).format(new Date(day))
  return (
    // Browsers and Node can format differently.
    <Heading
      suppressHydrationWarning
      className="border-b border-line bg-sunken px-4 py-1.5 text-xs font-semibold text-ink-soft sm:px-5"
    >
      {day === today ? t('messages.today') : day === yesterday ? t('messages.yesterday') : date}
    </Heading>
  )
}
