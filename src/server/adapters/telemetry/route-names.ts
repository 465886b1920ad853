/** Used part of .next/routes-manifest.json, which Next's build writes. */
export type RoutesManifest = {
  staticRoutes: { page: string }[]
  dynamicRoutes: { page: string; regex: string }[]
}

/** Returns a function from paths to route patterns. Unknown paths become `other`, so that the values are bounded. */
export function createRouteNames(manifest: RoutesManifest): (path: string) => string {
  const fixed = new Set(
    manifest.staticRoutes.map(({ page }) => page).filter((page) => !page.startsWith('/_')),
  )
  const dynamic = manifest.dynamicRoutes.map(({ page, regex }) => ({ page, regex: new RegExp(regex) }))
  return (path) => {
    if (fixed.has(path)) return path
    if (path.startsWith('/_next/')) return '/_next'
    return dynamic.find(({ regex }) => regex.test(path))?.page ?? 'other'
  }
}
