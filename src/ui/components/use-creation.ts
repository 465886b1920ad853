import { useMutation } from '@tanstack/react-query'
import { errorDetails, errorText } from '../context/error-text.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import { useMessages } from '../i18n/messages-provider.tsx'

type CreationOptions<Input, Created> = {
  create(input: Input): Promise<Created>
  onCreated(created: Created, input: Input): void
  /** Messages for the whole form, by the server's error code. */
  errors?: Partial<Record<string, PlainMessageKey>>
  /** Fields and their messages, by the server's error code. */
  fieldErrors?: Partial<Record<string, { field: string; key: PlainMessageKey }>>
}

/** Submits a `CreateForm` and assigns the server's errors to the form or its fields. */
export function useCreation<Input, Created>(options: CreationOptions<Input, Created>) {
  const { create, onCreated, errors, fieldErrors = {} } = options
  const { t } = useMessages()
  const { mutate, isPending, isError, error, submittedAt } = useMutation({
    mutationFn: create,
    onSuccess: onCreated,
  })
  const { code = '', fieldErrors: invalid } = isError ? errorDetails(error) : {}
  const fieldError = fieldErrors[code]
  return {
    create: mutate,
    form: {
      busy: isPending,
      error: isError && !invalid && !fieldError ? errorText(t, error, errors) : undefined,
    },
    /** Returns a field's error props. `key` is the message for when the server rejects the field. */
    field(name: string, key: PlainMessageKey) {
      const message = fieldError?.field === name ? fieldError.key : invalid?.[name] && key
      return { error: message && t(message), attempt: submittedAt }
    },
  }
}
