import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { PlainMessageKey } from '../../i18n/message-types.ts'
import { useMessages } from '../../i18n/messages-provider.tsx'
import type { Built, DraftErrors } from './build-message.ts'
import type { Draft } from './draft.ts'
import { useDraft } from './draft-store.ts'

/** Names of the draft's text fields. */
type TextName = {
  [K in keyof Draft]: string extends Draft[K] ? K : never
}[keyof Draft]

/** State of the form, for its parts. */
export type Compose = {
  draft: Draft
  change(part: Partial<Draft>): void
  /** Returns the props of a text field. */
  field(name: TextName): FieldProps
  /** Returns the error of any field, including those that are not text fields of the draft. */
  errorOf(name: string): { error: string | undefined; attempt: number }
  /** Number of invalid attempts. */
  attempt: number
  /** Focuses the first invalid field. Parts of the form that load late call this again. */
  focusFault(): void
}

/** Fields whose errors a change of another field makes obsolete. */
const DEPENDENTS: Record<string, readonly string[]> = { to: ['users', 'topic'], picked: ['users'] }

type FieldProps = {
  name: string
  value: string
  onChange(event: { target: { value: string } }): void
  error: string | undefined
  attempt: number
}

/**
 * Returns the draft with its errors. The first invalid field in `form` takes the focus. Calls `onChange` after every
 * change, with the names of the changed fields.
 */
export function useCompose(
  form: RefObject<HTMLElement | null>,
  onChange: (changed: readonly string[]) => void,
) {
  const { t } = useMessages()
  const [draft, changeDraft] = useDraft()
  const [{ errors, attempt }, setFound] = useState<{ errors: DraftErrors; attempt: number }>({
    errors: {},
    attempt: 0,
  })
  const focused = useRef(0)

  // Moves the focus once per attempt. If the field is not on the page yet, a later call moves it.
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
    forget(Object.keys(part))
  }

  /** Removes the errors of changed fields. */
  function forget(changed: string[]): void {
    onChange(changed)
    const obsolete = new Set(changed.flatMap((name) => [name, ...(DEPENDENTS[name] ?? [])]))
    const isObsolete = (field: string) => obsolete.has(field.split('.')[0]!)
    if (Object.keys(errors).some(isObsolete))
      setFound({
        errors: Object.fromEntries(Object.entries(errors).filter(([field]) => !isObsolete(field))),
        attempt,
      })
  }

  const errorOf = (name: string) => {
    const error = errors[name]
    return { error: error && t(error), attempt }
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
    forget,
    /** Shows the errors of fields. */
    reject(errors: DraftErrors): void {
      setFound({ errors, attempt: attempt + 1 })
    },
    /** Returns the message, or shows the errors and returns null. `more` has errors of fields outside the draft. */
    check<T>({ message, errors }: Built<T>, more: Record<string, PlainMessageKey> = {}): T | null {
      const all = { ...errors, ...more }
      const isValid = Object.keys(all).length === 0
      setFound({ errors: all, attempt: isValid ? attempt : attempt + 1 })
      return isValid ? message : null
    },
  }
}
