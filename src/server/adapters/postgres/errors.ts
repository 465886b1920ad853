/** Causes by error code of PostgreSQL, Prisma or a socket. */
const FAULTS: Record<string, string> = {
  '25006': 'it is a read-only standby: name the primary in DATABASE_URL, or wait until a standby is promoted',
  '28P01': 'it rejects the user or password in DATABASE_URL',
  '28000': 'it rejects the user in DATABASE_URL: check the user, and pg_hba.conf',
  '3D000': 'the database that DATABASE_URL names does not exist: create it, or correct the name',
  '42501': 'the user in DATABASE_URL lacks a permission',
  '42P01': 'it lacks tables that this release needs; run: npm run db:migrate',
  '42703': 'it lacks columns that this release needs; run: npm run db:migrate',
  '53300': 'it has no free connection: raise max_connections, or stop other clients',
  '57P03': 'it is starting up or shutting down: try again',
  P1001: 'nothing answers at the host and port in DATABASE_URL',
  P1011: 'it does not accept TLS, which DATABASE_URL requires: check sslmode',
  ECONNREFUSED: 'nothing listens at the host and port in DATABASE_URL',
  ENOTFOUND:
    'the host name in DATABASE_URL is unknown: check it, and percent-encode special characters in the user and password',
  EAI_AGAIN: 'the host name in DATABASE_URL cannot be looked up: check the DNS server of this machine',
  ETIMEDOUT: 'nothing answers at the host and port in DATABASE_URL',
  EHOSTUNREACH: 'this machine has no route to the host in DATABASE_URL',
}

/** Returns the code of PostgreSQL or of the socket, even from inside an error of Prisma. */
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

/** Node's codes for sockets and name resolution. */
const NETWORK = /^E(TIMEDOUT|CONNREFUSED|CONNRESET|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
/** PostgreSQL: connection lost, out of connections or disk, read-only after a failover, transaction or statement timeout, shutdown. */
const SQLSTATE = /^(08...|53...|25006|25P04|57014|57P0.)$/
/** Prisma: unreachable, connection lost, no free connection. */
const PRISMA = /^(P1001|P1002|P1008|P1017|P2024|P2028|P2037)$/
/** Errors of pg without a code. */
const MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a conn)/

/** Returns whether a call failed because the database is unreachable or does not respond. A retry may then succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, originalCode, message, meta, cause } = error as Record<string, unknown>
  const adapterError = (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  return (
    [code, originalCode].some(
      (c) => typeof c === 'string' && (NETWORK.test(c) || SQLSTATE.test(c) || PRISMA.test(c)),
    ) ||
    (typeof message === 'string' && MESSAGE.test(message)) ||
    ['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'].includes(
      String((error as { kind?: unknown }).kind),
    ) ||
    isDatabaseUnavailable(adapterError) ||
    isDatabaseUnavailable(cause)
  )
}

/** Returns null on a unique violation: a value that was free when checked may be taken when written. */
export async function nullOnUniqueViolation<T>(writing: Promise<T>): Promise<T | null> {
  try {
    return await writing
  } catch (error) {
    if ((error as { code?: unknown }).code === 'P2002') return null
    throw error
  }
}

/**
 * PostgreSQL's serialization_failure, deadlock_detected and check_violation. PostgreSQL checks constraints on the row as
 * the statement first saw it, before it notices that another statement has changed it. A retry is safe, because nothing
 * was written.
 */
const CONFLICTS = ['40001', '40P01', '23514']

/** Retries a statement after a conflict. Most statements lock files before users; account deletion does the reverse. */
export const retryConflicts = <T>(run: () => Promise<T>): Promise<T> => retryOn(CONFLICTS, 5, run)

/** Repeats `run` after errors with these codes, up to `attempts` times in all. */
export async function retryOn<T>(codes: string[], attempts: number, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === attempts || !codes.includes(databaseErrorCode(error) ?? '')) throw error
    }
  }
}
