/**
 * next-auth is CommonJS compiled from ES modules: Node gives its whole `module.exports` as the default
 * import, bundlers give what the types say.
 */
export function callable<T>(imported: T): T {
  return (imported as { default?: T }).default ?? imported
}
