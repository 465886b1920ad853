import { urlPerHost } from '../../kernel/database-hosts.ts'
import { databaseErrorCode } from './errors.ts'

/** Failed migration. The message is one printable line without the password. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** Converts the driver's error to one line that names what to check. */
export function toMigrationError(error: unknown, databaseUrl: string, waitMs: number): MigrationError {
  if (error instanceof MigrationError && databaseErrorCode(error.cause) !== LOCK_NOT_AVAILABLE) return error
  const urls = urlPerHost(databaseUrl).map((url) => new URL(url))
  const address = urls.map(({ hostname, port }) => `${hostname || 'localhost'}:${port || 5432}`).join(' or ')
  const database = decodeURIComponent(urls[0]!.pathname.slice(1))
  const code = databaseErrorCode(error)
  const line = (message: string) => new MigrationError(message, { cause: error })
  switch (code) {
    case LOCK_NOT_AVAILABLE:
      return line(
        `waited ${Math.round(waitMs / 1000)} s for another migration or a locked table; nothing was changed. Run it again`,
      )
    case '28P01':
    case '28000':
      return line(`DATABASE_URL: the database at ${address} rejects this user or password`)
    case '3D000':
      return line(`DATABASE_URL: there is no database "${database}" at ${address}`)
    case '42501':
      return line(`DATABASE_URL: this user cannot create tables in "${database}"`)
    case '57P03':
      return line(`the database at ${address} is starting up or shutting down; run it again`)
  }
  const reason = error instanceof AggregateError ? String(error.errors[0]?.message) : (error as Error).message
  if (code === undefined || /^E[A-Z]+$/.test(code)) {
    return line(`DATABASE_URL: the database at ${address} cannot be reached: ${oneLine(reason)}`)
  }
  return line(`the database at ${address} answered: ${oneLine(reason)}`)
}

const LOCK_NOT_AVAILABLE = '55P03'

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
