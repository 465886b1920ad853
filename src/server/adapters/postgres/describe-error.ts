/** Causes by error code of PostgreSQL, Prisma or a socket. */
const FAULTS: Record<string, string> = {
  '28P01': 'it rejects the user or password in DATABASE_URL',
  '28000': 'it rejects the user in DATABASE_URL: check the user, and pg_hba.conf',
  '3D000': 'the database that DATABASE_URL names does not exist: create it, or correct the name',
  '42501': 'the user in DATABASE_URL lacks a permission',
  '42P01': 'it has no tables of this release; run: npm run db:migrate',
  '42703': 'migrations of this release are pending; run: npm run db:migrate',
  '53300': 'it has no free connection: raise max_connections, or stop other clients',
  '57P03': 'it is starting up or shutting down: try again',
  P1001: 'nothing answers at the host and port in DATABASE_URL',
  P1011: 'it does not accept TLS as DATABASE_URL asks for: check sslmode',
  ECONNREFUSED: 'nothing listens at the host and port in DATABASE_URL',
  ENOTFOUND:
    'the host name in DATABASE_URL is unknown: check it, and percent-encode special characters of user and password',
  EAI_AGAIN: 'the host name in DATABASE_URL cannot be looked up: check the DNS server of this machine',
  ETIMEDOUT: 'nothing answers at the host and port in DATABASE_URL',
  EHOSTUNREACH: 'no route leads to the host in DATABASE_URL',
}

/** Returns the code of PostgreSQL or of the socket, also from inside an error of Prisma. */
export function databaseErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, originalCode, meta, cause, errors } = error as Record<string, unknown>
  const wrapped = (meta as { driverAdapterError?: { cause?: unknown } } | undefined)?.driverAdapterError
    ?.cause
  const inner = databaseErrorCode(wrapped) ?? databaseErrorCode(cause)
  if (inner !== undefined) return inner
  if (Array.isArray(errors) && errors.length > 0) return databaseErrorCode(errors[0])
  return [originalCode, code].find((value) => typeof value === 'string')
}

/** Returns what is wrong and what to do. Names neither host nor user, because logs can show it. */
export function databaseFault(error: unknown): string | undefined {
  return FAULTS[databaseErrorCode(error) ?? '']
}

/** Returns true for errors that only PostgreSQL or Prisma raises, as opposed to those of any socket. */
export function isDatabaseError(error: unknown): boolean {
  return /^([\dA-Z]{5}|P\d{4})$/.test(databaseErrorCode(error) ?? '') && databaseFault(error) !== undefined
}
