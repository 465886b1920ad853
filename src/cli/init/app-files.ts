import { dirname, join, relative } from 'node:path'
import type { App, AuthLibrary } from './read-app.ts'
import { CLIENT, PAGE, PUSH_SWITCH, tokenRoute, UPLOAD, WORKER } from './templates.ts'

/** File that `init` writes. */
export type AppFile = {
  /** Path relative to the app's folder, with slashes. */
  path: string
  purpose: string
  text: string
}

/** Default module of better-auth's `auth`, as in its documentation. */
const BETTER_AUTH_MODULE = 'lib/auth'

/** Returns the files for the app, without those that `init` only extends. */
export function appFiles(app: App, library: AuthLibrary): AppFile[] {
  const { isTypeScript, source } = app
  const [module, component] = isTypeScript ? ['ts', 'tsx'] : ['js', 'js']
  const file = (name: string, purpose: string, text: string): AppFile => {
    const path = join(source, name).replaceAll('\\', '/')
    return { path, purpose, text: render(text, path, app) }
  }
  const isNextAuth5 = library === 'next-auth' && /^[\^~>=\s]*5|beta/.test(app.nextAuthVersion)
  return [
    file(`lib/pigeonhole.${module}`, 'client, uploader and push device for your components', CLIENT),
    file(
      `app/api/pigeonhole-token/route.${module}`,
      'gives the signed-in user a token',
      tokenRoute(isNextAuth5 ? 'next-auth-5' : library),
    ),
    file(`components/pigeonhole-upload.${component}`, 'uploads files, with progress', UPLOAD),
    file(`components/pigeonhole-push.${component}`, 'turns pushes to this browser on and off', PUSH_SWITCH),
    file(`app/pigeonhole/page.${component}`, 'shows both components', PAGE),
    { path: 'public/pigeonhole-worker.js', purpose: 'shows pushes (service worker)', text: WORKER },
  ]
}

/** Returns the text of a template for this app. */
function render(template: string, path: string, app: App): string {
  const text = app.isTypeScript ? template.replace(/[«»]/g, '') : template.replace(/«[^»]*»/g, '')
  return text.replace(/"@\/([^"]+)"/g, (_, name: string) => `"${specifierOf(name, path, app)}"`)
}

/** Returns how the file at `path` imports the module `name` of the source folder. */
function specifierOf(name: string, path: string, { alias, source, betterAuthModule }: App): string {
  const module = name === BETTER_AUTH_MODULE && betterAuthModule ? betterAuthModule : join(source, name)
  const inSource = relative(source, module).replaceAll('\\', '/')
  if (alias !== undefined && !inSource.startsWith('..')) return alias + inSource
  const specifier = relative(dirname(path), module).replaceAll('\\', '/')
  return specifier.startsWith('.') ? specifier : `./${specifier}`
}
