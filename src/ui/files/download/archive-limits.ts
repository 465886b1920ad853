/** What can be downloaded as one archive: browsers keep it as a whole until it is saved. */
export const ARCHIVE_MAX_BYTES = 2 * 1024 ** 3
/** What one archive may have, so that it is complete within minutes. */
export const ARCHIVE_MAX_FILES = 1000
