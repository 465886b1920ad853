import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Next bundles this module, so its own address says nothing. The app is started in its folder, as Next is. */
const SOURCE = join(process.cwd(), 'src/server/start-services.ts')

/**
 * Starts the services in a process of Next's. Node loads them from their source, as for `npm start`: Next would bundle
 * them three times (for the instrumentation, the pages and the routes), and every process would load that for nothing.
 */
export async function loadServices(): Promise<void> {
  const { startServices }: typeof import('./start-services.ts') = await import(
    /* turbopackIgnore: true */ pathToFileURL(SOURCE).href
  )
  await startServices()
}
