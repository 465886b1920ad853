import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { areServicesShared, getServices } from './services.ts'

/** Next bundles this module, so `import.meta.url` is useless here. Without the launcher, Next runs in the app's folder. */
const SOURCE = join(process.cwd(), 'src/server/wiring/start-services.ts')

/**
 * Starts the services in a process that runs Next's server. Node loads them from source, as for `npm start`. Next would
 * bundle them three times (for instrumentation, pages and routes), and every process would load unused copies.
 */
export async function loadServices(): Promise<void> {
  // The launcher has started them. Its package, if packed, contains no TypeScript.
  if (areServicesShared()) {
    await getServices()
    return
  }
  const { startServices }: typeof import('./start-services.ts') = await import(
    /* turbopackIgnore: true */ pathToFileURL(SOURCE).href
  )
  await startServices()
}
