import { useSearchParams } from 'next/navigation'
import { parseCategory } from './parse-category.ts'

/**
 * Returns the category in the address, or null for all categories. The address keeps it, so users can reload the page
 * and go back.
 */
export function useCategory(): string | null {
  return parseCategory(useSearchParams().get('category'))
}

/** Shows messages of a category, or of all. Next follows `history` without asking the server. */
export function showCategory(category: string | null): void {
  const query = category === null ? '' : `?${new URLSearchParams({ category })}`
  history.pushState(null, '', `${location.pathname}${query}`)
}
