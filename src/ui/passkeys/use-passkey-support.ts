import { useBrowserValue } from '../components/use-browser-value.ts'

/** True if the browser offers passkeys: on https and localhost. False until the page is hydrated. */
export function usePasskeySupport(): boolean {
  return useBrowserValue(
    () => 'PublicKeyCredential' in window,
    () => false,
  )
}
