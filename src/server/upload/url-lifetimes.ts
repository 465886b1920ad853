/** How long a presigned PUT of a simple upload lives. */
export const SIMPLE_URL_SECONDS = 15 * 60
/** How long a presigned PUT of a part lives. */
export const PART_URL_SECONDS = 60 * 60
/** How long a presigned GET lives. */
export const DOWNLOAD_URL_SECONDS = 5 * 60
