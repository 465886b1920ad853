'use client'

import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { ChosenLocale } from './choose-locale.ts'
import type { CompiledMessages } from './compile-messages.ts'
import { createFormats, type Formats } from './formats.ts'
import { createTranslator, type Translator } from './translator.ts'

export type Words = ChosenLocale & { t: Translator; format: Formats }

const WordsContext = createContext<Words | null>(null)

type MessagesProviderProps = ChosenLocale & {
  /** CompiledMessages as JSON: one value instead of some thousand for React to serialize with every page. */
  messages: string
  children: ReactNode
}

/** Gives the components below it the words and formats of one language. */
export function MessagesProvider({ locale, formatLocale, messages, children }: MessagesProviderProps) {
  const words = useMemo(() => {
    const t = createTranslator(formatLocale, JSON.parse(messages) as CompiledMessages)
    return { locale, formatLocale, t, format: createFormats(formatLocale, t) }
  }, [locale, formatLocale, messages])
  return <WordsContext value={words}>{children}</WordsContext>
}

/** `t('group.name', values)` gives the words, `format` numbers and sizes. */
export function useWords(): Words {
  const words = useContext(WordsContext)
  if (!words) throw new Error('useWords needs a MessagesProvider')
  return words
}
