import { useMessages } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** Field for the email that a user signs in with. */
export function EmailField(props: Partial<TextFieldProps>) {
  const { t } = useMessages()
  return (
    <TextField
      label={t('common.email')}
      name="email"
      type="email"
      autoComplete="username"
      required
      maxLength={254}
      {...props}
    />
  )
}
