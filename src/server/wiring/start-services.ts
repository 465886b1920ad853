import { loadConfig } from '../config/config.ts'
import { type AppServices, buildServices } from './build-services.ts'
import { shareServices } from './services.ts'

/** Builds and starts the services of this process. Repeated calls return the same services. */
export function startServices(): Promise<AppServices> {
  return shareServices(async () => {
    const services = await buildServices(loadConfig())
    await services.start()
    return services
  })
}
