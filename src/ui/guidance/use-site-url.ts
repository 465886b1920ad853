import { useBrowserValue } from '../components/use-browser-value.ts'

/** Returns the origin of this page's address, or '' until the page is hydrated. */
export function useSiteUrl(): string {
  return useBrowserValue(
    () => location.origin,
    () => '',
  )
}
