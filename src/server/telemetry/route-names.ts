/** As Next's build writes it (.next/routes-manifest.json). */
export type RoutesManifest = {
  staticRoutes: { page: string }[]
  dynamicRoutes: { page: string; regex: string }[]
}

/** The route pattern of a path: as many values as there are routes, whatever is asked for. */
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
