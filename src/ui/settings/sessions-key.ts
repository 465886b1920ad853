/** Of the query for the user's sessions. */
export const SESSIONS_KEY = ['sessions']
