import { withoutDirectionOverrides } from '../validation.ts'

/** A name that a provider states, as it is shown; null if nothing is left. */
export function displayName(stated: string): string | null {
  const clean = withoutDirectionOverrides(stated)
    .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
    .trim()
  return [...clean].slice(0, 100).join('') || null
}
