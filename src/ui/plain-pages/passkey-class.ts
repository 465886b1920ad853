import { buttonClass } from '../components/button-class.ts'

/** Classes of the button for passkeys, which is the next step if the account requires one. */
export const passkeyClass = (isPrimary: boolean): string =>
  buttonClass(isPrimary ? 'primary' : 'secondary', 'min-h-11 w-full')
