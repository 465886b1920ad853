// Serves the client's own modules to a page, with types stripped as Node strips them and without a bundler.

import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url)
const PACKAGES = [
  '@pigeonhole/client',
  '@pigeonhole/client/browser',
  '@trpc/client',
  '@trpc/server',
  '@trpc/server/observable',
  '@trpc/server/rpc',
  '@trpc/server/unstable-core-do-not-import',
]

const imports = Object.fromEntries(
  PACKAGES.map((name) => [name, `/${import.meta.resolve(name).slice(ROOT.href.length)}`]),
)

const PAGE = `<!doctype html><link rel="icon" href="data:,"><input type="file" multiple>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
import { createClient } from '@pigeonhole/client'
import { blobSource, browserStore, createBrowserUploader } from '@pigeonhole/client/browser'
const quick = { retry: { attempts: 4, baseMs: 20, maxMs: 100 } }
const client = createClient({ token: () => localStorage.token })
window.uploader = createBrowserUploader(client, { ...quick, concurrency: 3 })
window.begin = (i = 0) => {
  const { files } = document.querySelector('input')
  window.handle = window.uploader.upload(blobSource(files[i]))
}
window.store = browserStore()
window.ready = true
</script>`

/** A page requests about a hundred of them. */
const modules = new Map<string, string>()

function readModule(path: string): string {
  const text = readFileSync(fileURLToPath(new URL(`.${path}`, ROOT)), 'utf8')
  return path.endsWith('.ts') ? stripTypeScriptTypes(text) : text
}

/** Serves the page at `/` and the modules of the client and of tRPC. */
export function clientPageModule(path: string): Response | undefined {
  if (path === '/') return new Response(PAGE, { headers: { 'content-type': 'text/html' } })
  if (!/^\/(packages\/client\/src|node_modules\/@trpc)\//.test(path)) return undefined
  const code = modules.get(path) ?? readModule(path)
  modules.set(path, code)
  // Let the browser context cache them: a page that is reopened would request all of them again.
  const headers = { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' }
  return new Response(code, { headers })
}
