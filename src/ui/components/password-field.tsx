'use client'

import { useWords } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** The password that a user has. */
export function PasswordField(props: Partial<TextFieldProps>) {
  const { t } = useWords()
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

/** The password that a user is to have. */
export function NewPasswordField(props: Partial<TextFieldProps>) {
  const { t } = useWords()
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
