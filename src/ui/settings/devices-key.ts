/** Of the query for the user's devices. */
export const DEVICES_KEY = ['devices']
