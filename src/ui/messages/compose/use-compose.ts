'use client'

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useWords } from '../../i18n/messages-provider.tsx'
import type { Built, Faults } from './build-message.ts'
import type { Draft } from './draft.ts'
import { useDraft } from './draft-store.ts'

/** The text fields of the draft. */
type TextName = {
  [K in keyof Draft]: string extends Draft[K] ? K : never
}[keyof Draft]

/** The form as its parts see it. */
export type Compose = {
  draft: Draft
  change(part: Partial<Draft>): void
  /** Props of a text field. */
  field(name: TextName): FieldProps
  /** What is wrong with a field that is no text field of the draft, in the reader's words. */
  errorOf(name: string): { error: string | undefined; attempt: number }
  /** Counts up with every message that was not right. */
  attempt: number
  /** For parts of the form that are loaded after the faults were found. */
  focusFault(): void
}

type FieldProps = {
  name: string
  value: string
  onChange(event: { target: { value: string } }): void
  error: string | undefined
  attempt: number
}

/** The draft with what is wrong with it. `form` is where the first field that is wrong gets the focus. */
export function useCompose(form: RefObject<HTMLElement | null>) {
  const { t } = useWords()
  const [draft, changeDraft] = useDraft()
  const [{ faults, attempt }, setFound] = useState<{ faults: Faults; attempt: number }>({
    faults: {},
    attempt: 0,
  })
  const focused = useRef(0)

  /** Moves the focus to the first fault, once for each attempt: if it is not on the page yet, later. */
  const focusFault = useCallback(() => {
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    if (focused.current === attempt || !first) return
    focused.current = attempt
    const folded = first.closest('details')
    if (folded) folded.open = true
    first.focus()
  }, [attempt, form])
  useEffect(focusFault, [focusFault])

  function change(part: Partial<Draft>): void {
    changeDraft(part)
    const isChanged = (field: string) => Object.keys(part).some((name) => field.split('.')[0] === name)
    if (Object.keys(faults).some(isChanged))
      setFound({
        faults: Object.fromEntries(Object.entries(faults).filter(([field]) => !isChanged(field))),
        attempt,
      })
  }

  const errorOf = (name: string) => {
    const fault = faults[name]
    return { error: fault && t(fault), attempt }
  }

  const compose: Compose = {
    draft,
    change,
    errorOf,
    attempt,
    focusFault,
    field: (name) => ({
      name,
      value: draft[name],
      onChange: (event) => change({ [name]: event.target.value }),
      ...errorOf(name),
    }),
  }

  return {
    ...compose,
    /** The message, or null: then what is wrong is shown. `more`: faults of fields outside of the draft. */
    check<T>({ message, faults }: Built<T>, more: Record<string, PlainMessageKey> = {}): T | null {
      const all = { ...faults, ...more }
      const isRight = Object.keys(all).length === 0
      setFound({ faults: all, attempt: isRight ? attempt : attempt + 1 })
      return isRight ? message : null
    },
  }
}
