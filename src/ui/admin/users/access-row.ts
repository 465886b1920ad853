/** Classes of a row in the card about a user's access: a text and its action. */
export const ACCESS_ROW = 'flex flex-wrap items-center justify-between gap-3 px-4 py-4 sm:px-5'
