import { invalidFields } from '../../../kernel/validation.ts'
import type { Gateway, Gateways, Platform } from './gateway.ts'

/** Apps that this instance serves, each with its own gateways. */
export type PushApps = {
  /** `default` first. */
  names: readonly string[]
  /** Returns the gateways of an app. Pushes to an unknown app fail with GATEWAY_NOT_CONFIGURED. */
  gatewaysOf(app: string): Gateways
  /** Returns a configured gateway of the platform, if an app has one. All encode payloads in the same way. */
  encoderOf(platform: Platform): Gateway
  /** @throws AppError BAD_REQUEST if an app is unknown */
  requireKnown(field: string, apps: readonly string[]): void
}

/** `unconfigured` creates the gateways that an app lacks, and those of all unknown apps (`other`). */
export function createPushApps(
  configured: ReadonlyMap<string, Partial<Gateways>>,
  unconfigured: (app: string) => Gateways,
): PushApps {
  const apps = new Map([...configured].map(([app, gateways]) => [app, { ...unconfigured(app), ...gateways }]))
  const ofUnknown = unconfigured('other')
  const encoderOf = (platform: Platform) =>
    [...configured.values()].find((gateways) => gateways[platform])?.[platform] ?? ofUnknown[platform]
  const encoders = { ios: encoderOf('ios'), android: encoderOf('android'), web: encoderOf('web') }
  return {
    names: [...apps.keys()],
    gatewaysOf: (app) => apps.get(app) ?? ofUnknown,
    encoderOf: (platform) => encoders[platform],

    requireKnown(field, given) {
      const unknown = given.find((app) => !apps.has(app))
      if (unknown !== undefined)
        throw invalidFields({
          [field]: [`must name an app of this service; ${JSON.stringify(unknown)} is not one`],
        })
    },
  }
}
