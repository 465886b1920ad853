import { useEffect, useId, useState } from 'react'
import { useMessages } from '../i18n/messages-provider.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

/** Field for a current password. A button shows what was typed until the form is sent. */
export function PasswordField(props: Partial<TextFieldProps>) {
  const { t } = useMessages()
  const id = useId()
  const [shown, setShown] = useState(false)
  useEffect(() => {
    // Otherwise, browsers would offer the password among the values of text fields.
    const hide = () => setShown(false)
    const form = document.getElementById(id)?.closest('form')
    form?.addEventListener('submit', hide)
    return () => form?.removeEventListener('submit', hide)
  }, [id])
  return (
    <TextField
      label={t('common.password')}
      name="password"
      type={shown ? 'text' : 'password'}
      autoComplete="current-password"
      autoCapitalize="none"
      spellCheck={false}
      required
      maxLength={1024}
      end={
        <button
          id={id}
          type="button"
          onClick={() => setShown(!shown)}
          className="absolute inset-y-1 right-1 rounded-md px-2.5 pointer-coarse:inset-y-0 text-sm text-accent hover:bg-sunken"
        >
          {t(shown ? 'common.hide' : 'common.show')}
          <span className="sr-only">{` ${props.label ?? t('common.password')}`}</span>
        </button>
      }
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
