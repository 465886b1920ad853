/** Environment of PostgreSQL's programs, without the caller's PGPORT, PGDATA, LD_LIBRARY_PATH and locale. */
export const ENVIRONMENT: NodeJS.ProcessEnv = {
  // Next's types require it in every environment.
  NODE_ENV: 'production',
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}
