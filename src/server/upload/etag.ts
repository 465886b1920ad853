/** ETags come with quotes, without, escaped in XML, or weak (from proxies that compress); inside they are plain. */
export function plainEtag(etag: string): string {
  return etag
    .trim()
    .replace(/&quot;/g, '"')
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}
