import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Next bundles this module, so `import.meta.url` is useless here. Next must run in the app's folder anyway. */
const SOURCE = join(process.cwd(), 'src/server/wiring/start-services.ts')

/**
 * Starts the services in a process that runs Next's server. Node loads them from source, as for `npm start`. Next would
 * bundle them three times (for instrumentation, pages and routes), and every process would load unused copies.
 */
export async function loadServices(): Promise<void> {
  const { startServices }: typeof import('./start-services.ts') = await import(
    /* turbopackIgnore: true */ pathToFileURL(SOURCE).href
  )
  await startServices()
}
