/** Of the query that counts unread messages. */
export const UNREAD_KEY = ['unread']
