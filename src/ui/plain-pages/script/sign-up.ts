import { createClient } from '@pigeonhole/client'
import { errorDetails, errorText } from '../../context/error-text.ts'
import type { Translator } from '../../i18n/translator.ts'
import { signInWithPassword } from '../../sign-in/auth-api.ts'
import { loadPage } from '../../sign-in/load-page.ts'
import { signInErrorKey } from '../../sign-in/sign-in-error-key.ts'
import { SIGN_UP_ERRORS, SIGN_UP_FIELD_ERRORS } from '../sign-up-errors.ts'
import type { Rejection } from './form.ts'

/** Returns a function that creates an account, signs in and opens the files page. */
export function signUp(t: Translator) {
  return async (values: FormData): Promise<Rejection> => {
    const email = String(values.get('email'))
    const password = String(values.get('password'))
    const name = String(values.get('name')).trim() || undefined
    try {
      await createClient().account.signUp.mutate({ email, password, name })
      const code = await signInWithPassword(email, password)
      return code === null ? await loadPage('/') : { notice: t(signInErrorKey(code)) }
    } catch (failure) {
      const { code, fieldErrors } = errorDetails(failure)
      // Show invalid fields next to the field, and all other errors above the form.
      if (code !== 'BAD_REQUEST' || !fieldErrors) return { notice: errorText(t, failure, SIGN_UP_ERRORS) }
      const invalid = Object.entries(SIGN_UP_FIELD_ERRORS).filter(([field]) => fieldErrors[field])
      return { fields: Object.fromEntries(invalid.map(([field, key]) => [field, t(key)])) }
    }
  }
}
