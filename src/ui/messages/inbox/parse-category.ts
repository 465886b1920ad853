/** Maximum length of a category, set by the server. */
const MAX_CHARS = 100

/** Returns the category in a parameter of the address, or null if the server would reject it. */
export function parseCategory(parameter: string | string[] | null | undefined): string | null {
  if (typeof parameter !== 'string') return null
  const category = parameter.trim()
  return category === '' || category.length > MAX_CHARS || /\p{Cc}|\p{Cs}/u.test(category) ? null : category
}
