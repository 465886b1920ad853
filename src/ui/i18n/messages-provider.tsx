'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { ChosenLocale } from './choose-locale.ts'
import type { CompiledMessages } from './compile-messages.ts'
import { createFormats, type Formats } from './formats.ts'
import { createTranslator, type Translator } from './translator.ts'

/** Messages and formats of the reader's language. */
export type Localization = ChosenLocale & { t: Translator; format: Formats }

const MessagesContext = createContext<Localization | null>(null)

type MessagesProviderProps = ChosenLocale & {
  /** CompiledMessages as JSON: React serializes one string per page instead of a thousand values. */
  messages: string
  children: ReactNode
}

/** Provides the messages and formats of one language to the components below it. */
export function MessagesProvider({ locale, formatLocale, messages, children }: MessagesProviderProps) {
  const localization = useMemo(() => {
    const t = createTranslator(formatLocale, JSON.parse(messages) as CompiledMessages)
    return { locale, formatLocale, t, format: createFormats(formatLocale, t) }
  }, [locale, formatLocale, messages])
  return <MessagesContext value={localization}>{children}</MessagesContext>
}

/** Returns `t('group.name', values)` for texts and `format` for numbers and sizes. Throws outside a MessagesProvider. */
export function useMessages(): Localization {
  const localization = useContext(MessagesContext)
  if (!localization) throw new Error('useMessages needs a MessagesProvider')
  return localization
}
