'use client'

import { useWords } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** The email that somebody signs in with. */
export function EmailField(props: Partial<TextFieldProps>) {
  const { t } = useWords()
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
