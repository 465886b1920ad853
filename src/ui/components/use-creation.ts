'use client'

import { useMutation } from '@tanstack/react-query'
import { errorFacts, errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useWords } from '../i18n/messages-provider.tsx'

type CreationOptions<Input, Made> = {
  create(input: Input): Promise<Made>
  onCreated(made: Made, input: Input): void
  /** By the server's error code: words for the whole form. */
  errors?: Partial<Record<string, PlainMessageKey>>
  /** By the server's error code: the field whose fault it is, and words for it. */
  fieldErrors?: Partial<Record<string, { field: string; key: PlainMessageKey }>>
}

/** What a `CreateForm` does with its fields, and what the server said about them. */
export function useCreation<Input, Made>(options: CreationOptions<Input, Made>) {
  const { create, onCreated, errors, fieldErrors = {} } = options
  const { t } = useWords()
  const { mutate, isPending, isError, error, submittedAt } = useMutation({
    mutationFn: create,
    onSuccess: onCreated,
  })
  const { code = '', fieldErrors: invalid } = isError ? errorFacts(error) : {}
  const fault = fieldErrors[code]
  return {
    create: mutate,
    /** Of the form. */
    form: { busy: isPending, error: isError && !invalid && !fault ? errorText(t, error, errors) : undefined },
    /** Of a field; `key`: what it may be, said when the server did not take it. */
    field(name: string, key: PlainMessageKey) {
      const said = fault?.field === name ? fault.key : invalid?.[name] && key
      return { error: said && t(said), attempt: submittedAt }
    },
    isInvalid: (name: string) => invalid?.[name] !== undefined,
  }
}
