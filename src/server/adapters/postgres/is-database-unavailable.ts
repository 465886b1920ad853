/** Node's codes for sockets and name resolution. */
const NETWORK = /^E(TIMEDOUT|CONNREFUSED|CONNRESET|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN)$/
/** PostgreSQL: connection lost, out of connections or disk, read-only after a failover, statement timeout, shutdown. */
const SQLSTATE = /^(08...|53...|25006|57014|57P0.)$/
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
