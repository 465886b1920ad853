/**
 * Returns the default export of a CommonJS module compiled from ES modules, such as next-auth. In Node, the default
 * import is the whole `module.exports`; in bundlers, it is what the types say.
 */
export function callable<T>(imported: T): T {
  return (imported as { default?: T }).default ?? imported
}
