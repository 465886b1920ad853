'use client'

import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** A moment in the reader's own language and time zone, which the server does not know: there it is in UTC. */
export function LocalTime({ at }: { at: string }) {
  const text = useSyncExternalStore(
    never,
    () => inWords(at),
    () => `${at.slice(0, 10)} ${at.slice(11, 16)}`,
  )
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

function inWords(at: string): string {
  const time = new Date(at)
  const thisYear = time.getFullYear() === new Date().getFullYear()
  return format(thisYear).format(time)
}

function format(thisYear: boolean): Intl.DateTimeFormat {
  const key = String(thisYear)
  const known = formats.get(key)
  if (known) return known
  const made = new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    ...(thisYear ? { hour: '2-digit', minute: '2-digit' } : { year: 'numeric' }),
  })
  formats.set(key, made)
  return made
}
