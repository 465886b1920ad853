import { useMessages } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** Field for a current password. */
export function PasswordField(props: Partial<TextFieldProps>) {
  const { t } = useMessages()
  return (
    <TextField
      label={t('common.password')}
      name="password"
      type="password"
      autoComplete="current-password"
      required
      maxLength={1024}
      {...props}
    />
  )
}

/** Field for a new password. */
export function NewPasswordField(props: Partial<TextFieldProps>) {
  const { t } = useMessages()
  return (
    <PasswordField
      autoComplete="new-password"
      minLength={12}
      maxLength={128}
      hint={t('signUp.passwordHint')}
      {...props}
    />
  )
}
