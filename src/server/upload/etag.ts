/** Without quotes. ETags arrive quoted, unquoted, escaped in XML, or weak (from proxies that compress). */
export function plainEtag(etag: string): string {
  return etag
    .trim()
    .replace(/&quot;/g, '"')
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}
