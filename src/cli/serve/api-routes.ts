import { readdir } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Params = Record<string, string | string[]>
type Answer = Response | Promise<Response>
/** Export of a `route.ts` for a method. `direct` does the same without Next's promise of the parameters. */
type RouteExport = {
  (request: Request, context: { params: Promise<Params> }): Answer
  direct?: Handler
}
type Handler = (request: Request, params: Params) => Answer
type Route = { pattern: string; handlers: Record<string, Handler> }
export type RouteMatch = Route & { params: Params }

/**
 * Imports the `route.ts` files below `app` (`route.js` in the packed package), and returns a function that finds the
 * route of a path. Patterns follow Next's rules: `[id]` is one segment, `[...all]` at least one, `[[...path]]` any number,
 * `(group)` none. Paths must not contain malformed escapes (`originForm` removes them).
 */
export async function loadApiRoutes(app: string): Promise<(path: string) => RouteMatch | undefined> {
  const files = (await readdir(app, { recursive: true })).filter((file) =>
    /(^|[/\\])route\.[jt]s$/.test(file),
  )
  const routes = await Promise.all(
    files.map(async (file): Promise<Route> => {
      const segments = dirname(file)
        .split(sep)
        .filter((segment) => !/^\(.*\)$/.test(segment))
      const exported = (await import(pathToFileURL(join(app, file)).href)) as Record<string, RouteExport>
      const missing = METHODS.filter((method) => !exported[method])
      if (missing.length > 0)
        throw new Error(`${file} must also export ${missing}. Create them with \`allowOnly\`.`)
      const handlers = Object.fromEntries(METHODS.map((method) => [method, handlerOf(exported[method]!)]))
      return { pattern: `/${segments.join('/')}`, handlers }
    }),
  )
  const fixed = new Map<string, RouteMatch>(
    routes
      .filter(({ pattern }) => !pattern.includes('['))
      .map((route) => [route.pattern, { ...route, params: {} }]),
  )
  const dynamic = routes
    .filter(({ pattern }) => !fixed.has(pattern))
    .map((route) => ({ route, ...compile(route.pattern) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))

  return (path) => {
    // Next redirects it to the path without the slash.
    if (path.endsWith('/')) return undefined
    const known = fixed.get(path)
    if (known) return known
    for (const { route, regex, paramsOf } of dynamic) {
      const match = regex.exec(path)
      if (match) return { ...route, params: paramsOf(match) }
    }
    return undefined
  }
}

function handlerOf(exported: RouteExport): Handler {
  return exported.direct ?? ((request, params) => exported(request, { params: Promise.resolve(params) }))
}

/** Compiles a pattern. `rank` sorts like Next: segment by segment, fixed ones first, optional ones last. */
function compile(pattern: string) {
  const names: { name: string; many: boolean }[] = []
  let rank = ''
  const source = pattern.replace(/\/([^/]+)/g, (_, segment: string) => {
    const [, optional, many, name] = /^(\[?)\[(\.\.\.)?(.+?)\]\]?$/.exec(segment) ?? []
    rank += name === undefined ? 0 : optional ? 3 : many ? 2 : 1
    if (name === undefined) return `/${segment.replace(/[.*+?^${}()|\\]/g, '\\$&')}`
    names.push({ name, many: many !== undefined })
    return optional ? '(?:/(.+))?' : many ? '/(.+)' : '/([^/]+)'
  })
  return {
    rank,
    regex: new RegExp(`^${source}$`),
    paramsOf(match: RegExpExecArray): Params {
      const params: Params = {}
      for (const [i, { name, many }] of names.entries()) {
        const value = match[i + 1]
        if (value === undefined) continue
        params[name] = many ? value.split('/').map(decodeURIComponent) : decodeURIComponent(value)
      }
      return params
    },
  }
}
