/**
 * The default export of a CommonJS module compiled from ES modules, such as next-auth. Node's default import is the
 * whole `module.exports`; bundlers import what the types say.
 */
export function callable<T>(imported: T): T {
  return (imported as { default?: T }).default ?? imported
}
