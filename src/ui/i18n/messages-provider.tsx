'use client'

import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react'
import { rememberChoice } from '../components/remember-choice.ts'
import type { ChosenLocale } from './choose-locale.ts'
import type { CompiledMessages } from './compile-messages.ts'
import { createFormats, type Formats } from './formats.ts'
import { messagesForAdmin } from './messages-for-admin.ts'
import { browserTimeZone, TIME_ZONE_COOKIE } from './time-zone.ts'
import { createTranslator, type Translator } from './translator.ts'

/** Messages and formats of the reader's language. */
export type Localization = ChosenLocale & {
  t: Translator
  format: Formats
  /** Time zone of the rendered page. Undefined on the first visit, when only the browser knows it. */
  timeZone: string | undefined
}

const MessagesContext = createContext<Localization | null>(null)

type MessagesProviderProps = ChosenLocale & {
  /** CompiledMessages as JSON: React serializes one string per page instead of a thousand values. */
  messages: string
  timeZone: string | undefined
  children: ReactNode
}

/** Provides messages, formats and time zone to the components below it, and stores the time zone for the server. */
export function MessagesProvider(props: MessagesProviderProps) {
  const { locale, formatLocale, messages, timeZone, children } = props
  const localization = useMemo(() => {
    const t = createTranslator(formatLocale, JSON.parse(messages) as CompiledMessages)
    return { locale, formatLocale, t, format: createFormats(formatLocale, t), timeZone }
  }, [locale, formatLocale, messages, timeZone])
  useEffect(() => {
    if (timeZone !== browserTimeZone()) rememberChoice(TIME_ZONE_COOKIE, browserTimeZone())
  }, [timeZone])
  return <MessagesContext value={localization}>{children}</MessagesContext>
}

/** Replaces, for an administrator, the messages that send users to their administrator. */
export function AdminMessagesProvider({ children }: { children: ReactNode }) {
  const outer = useMessages()
  const localization = useMemo(() => ({ ...outer, t: messagesForAdmin(outer.t) }), [outer])
  return <MessagesContext value={localization}>{children}</MessagesContext>
}

/** Returns `t('group.name', values)` for texts and `format` for numbers and sizes. Throws outside a MessagesProvider. */
export function useMessages(): Localization {
  const localization = useContext(MessagesContext)
  if (!localization) throw new Error('useMessages needs a MessagesProvider')
  return localization
}
