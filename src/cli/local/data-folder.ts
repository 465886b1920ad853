/** Folder with the data of `pigeonhole dev`, in the folder of the app. */
export const DATA_FOLDER = '.pigeonhole'
/** File in it with the port of the last run. */
export const PORT_FILE = 'port'
/** File in it with the server key. */
export const SERVER_KEY_FILE = 'server-key.json'

/** Returns the address of the service. */
export const addressOf = (port: number): string => `http://localhost:${port}`
