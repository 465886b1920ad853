import { fileURLToPath } from 'node:url'

/** Folder of this release's migrations. */
export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
