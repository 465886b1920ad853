/**
 * Programs that open links that people send: previews of messengers, crawlers, scanners of mail. By their own names
 * (docs of each); a scanner that poses as a browser opens the page of a link, but presses no button on it.
 */
const SCANNERS =
  /bot\b|crawl|spider|slurp|preview|scan|facebookexternalhit|meta-external|whatsapp|skypeuri|slack-img|embedly|pinterest|google-(?:safety|inspection|read-aloud)|safelinks|barracuda|proofpoint|mimecast|symantec|urldefense/i

/** Whether a request only looks at what is behind a link: a scanner, or a browser that prefetches. */
export function isLinkScanner(request: Request): boolean {
  const { headers } = request
  const purpose =
    headers.get('sec-purpose') ?? headers.get('purpose') ?? headers.get('x-purpose') ?? headers.get('x-moz')
  return /prefetch|preview|prerender/i.test(purpose ?? '') || SCANNERS.test(headers.get('user-agent') ?? '')
}
