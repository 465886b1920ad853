import { buttonClass } from '../components/button-class.ts'

/** Classes of a button of the sign-in page. Only the next step is primary: the passkey, where the account needs one. */
export const signInButtonClass = (isPrimary: boolean): string =>
  buttonClass(isPrimary ? 'primary' : 'secondary', 'min-h-11 w-full')
