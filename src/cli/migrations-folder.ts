import { fileURLToPath } from 'node:url'

/** Where this release's migrations are, whatever the working directory. */
export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
