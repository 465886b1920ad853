'use client'

import { useSyncExternalStore } from 'react'

const subscribeToNothing = () => () => {}

/** A time in the user's language and time zone. The server does not know them and renders it in UTC. */
export function LocalTime({ at, dayOnly = false }: { at: string; dayOnly?: boolean }) {
  const text = useSyncExternalStore(
    subscribeToNothing,
    () => formatTime(at, dayOnly),
    () => (dayOnly ? at.slice(0, 10) : `${at.slice(0, 10)} ${at.slice(11, 16)}`),
  )
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}

function formatTime(at: string, dayOnly: boolean): string {
  const time = new Date(at)
  const thisYear = time.getFullYear() === new Date().getFullYear()
  return formatter(thisYear, dayOnly).format(time)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(thisYear: boolean, dayOnly: boolean): Intl.DateTimeFormat {
  const key = `${thisYear} ${dayOnly}`
  const cached = formatters.get(key)
  if (cached) return cached
  const created = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!thisYear && { year: 'numeric' }),
    ...(thisYear && !dayOnly && { hour: '2-digit', minute: '2-digit' }),
  })
  formatters.set(key, created)
  return created
}
