import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { fieldProblems } from './field-problems.ts'

/** Errors beside the invalid fields of a form, in the page's language, instead of the browser's bubbles. */
export function useFieldErrors() {
  const { t } = useMessages()
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<Partial<Record<string, string>>>({})
  const [attempt, setAttempt] = useState(0)

  useEffect(() => {
    if (attempt > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [attempt])

  return {
    /** Value of `FieldErrorsContext`. */
    errors,
    /** Props of the form. */
    form: {
      ref: form,
      noValidate: true,
      onInput({ target }: FormEvent<HTMLFormElement>) {
        if (target instanceof HTMLInputElement && errors[target.name] !== undefined)
          setErrors({ ...errors, [target.name]: undefined })
      },
    },
    /** Returns true if all fields are valid. */
    check(): boolean {
      const problems = Object.entries(form.current ? fieldProblems(form.current) : {})
      setErrors(Object.fromEntries(problems.map(([name, key]) => [name, t(key)])))
      return problems.length === 0
    },
    /** Focuses the first invalid field, once it is drawn. */
    focusFault: () => setAttempt((count) => count + 1),
  }
}
