// Bundles JavaScript for a page from code that imports packages by name, as an app's bundler does.

import { join } from 'node:path'
import { rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '../../..')
const ENTRY = join(ROOT, 'entry.js')

/** `external` packages stay imports. `alias` replaces packages with others. */
export async function bundle(
  code: string,
  options: { minify?: boolean; external?: RegExp; alias?: Record<string, string> } = {},
): Promise<string> {
  const build = await rolldown({
    input: ENTRY,
    cwd: ROOT,
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    ...(options.external && { external: options.external }),
    resolve: { alias: options.alias ?? {} },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: options.minify ?? false })
  await build.close()
  return output[0].code
}

/** Returns an interceptor for `ClientApp.intercept`: a page at `/` with this body and script. */
export function servePage(body: string, script: string): (path: string) => Response | undefined {
  const html = `<!doctype html><link rel="icon" href="data:,">${body}<script type="module" src="/page.js"></script>`
  return (path) => {
    if (path === '/') return new Response(html, { headers: { 'content-type': 'text/html' } })
    if (path !== '/page.js') return undefined
    return new Response(script, { headers: { 'content-type': 'text/javascript' } })
  }
}
