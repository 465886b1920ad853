import { loadConfig } from './config.ts'
import { build, type Services } from './container.ts'
import { shareServices } from './services.ts'

/** Builds and starts the services of this process; called again, they are the same. */
export function startServices(): Promise<Services> {
  return shareServices(async () => {
    const services = await build(loadConfig())
    await services.start()
    return services
  })
}
