'use client'

import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** A moment in the reader's own language and time zone, which the server does not know: there it is in UTC. */
export function LocalTime({ at, dayOnly = false }: { at: string; dayOnly?: boolean }) {
  const text = useSyncExternalStore(
    never,
    () => inWords(at, dayOnly),
    () => (dayOnly ? at.slice(0, 10) : `${at.slice(0, 10)} ${at.slice(11, 16)}`),
  )
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

function inWords(at: string, dayOnly: boolean): string {
  const time = new Date(at)
  const thisYear = time.getFullYear() === new Date().getFullYear()
  return format(thisYear, dayOnly).format(time)
}

function format(thisYear: boolean, dayOnly: boolean): Intl.DateTimeFormat {
  const key = `${thisYear} ${dayOnly}`
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    ...(!thisYear && { year: 'numeric' }),
    ...(thisYear && !dayOnly && { hour: '2-digit', minute: '2-digit' }),
  })
  formats.set(key, made)
  return made
}
