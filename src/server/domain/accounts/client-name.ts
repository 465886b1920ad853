/** Ordered, because Edge and Opera also name Chrome, and Chrome also names Safari. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:(?:Headless)?Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]

/** Ordered, because Android also names Linux, and iPhones also name Mac OS X. */
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

/** Returns a name that users recognize, such as `Firefox on Linux` or `curl/8.5.0`. Null without a User-Agent. */
export function clientName(userAgent: string | null): string | null {
  if (!userAgent) return null
  const browser = BROWSERS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0]
  if (browser) return system ? `${browser} on ${system}` : browser
  return userAgent.split(' ')[0]!.slice(0, 60)
}
