/** What PostgreSQL's programs see: nothing of the caller's PGPORT, PGDATA, LD_LIBRARY_PATH, locale. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  // Next's types want it in every environment.
  NODE_ENV: 'production',
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}
