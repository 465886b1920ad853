const AUTHORITY = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s

/**
 * Splits a database URL with several hosts, as libpq reads it (`postgresql://user:password@a:5432,b:5432/database`), into
 * one URL per host. Returns any other URL unchanged.
 */
export function urlPerHost(databaseUrl: string): string[] {
  const [, before = '', hosts = '', after = ''] = AUTHORITY.exec(databaseUrl) ?? []
  if (!hosts.includes(',')) return [databaseUrl]
  return hosts.split(',').map((host) => `${before}${host}${after}`)
}
