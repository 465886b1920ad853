/** Used part of .next/routes-manifest.json, which Next's build writes. */
export type RoutesManifest = {
  staticRoutes: { page: string }[]
  dynamicRoutes: { page: string; regex: string }[]
}

/** Route of the paths that no other route has, as a pattern. */
export const MISSING_ROUTE = '/[...missing]'

/** Returns a function from paths to route patterns. Unknown paths become `other`, so that the values are bounded. */
export function createRouteNames(manifest: RoutesManifest): (path: string) => string {
  const fixed = new Set(
    manifest.staticRoutes.map(({ page }) => page).filter((page) => !page.startsWith('/_')),
  )
  const dynamic = manifest.dynamicRoutes
    .filter(({ page }) => page !== MISSING_ROUTE)
    .map(({ page, regex }) => ({ page, regex: new RegExp(regex) }))
  return (path) => {
    if (fixed.has(path)) return path
    if (path.startsWith('/_next/')) return '/_next'
    return dynamic.find(({ regex }) => regex.test(path))?.page ?? 'other'
  }
}
