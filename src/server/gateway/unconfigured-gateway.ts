import type { Gateway, Platform } from '../push/ports.ts'

/** For a gateway without credentials in the environment: the app starts, and pushes to it fail with this reason. */
export function createUnconfiguredGateway(platform: Platform): Gateway {
  return {
    platform,
    prepare: () => ({ platform, bytesOver: 0 }),
    send: async () => ({ kind: 'rejected', reason: 'GATEWAY_NOT_CONFIGURED' }),
    close: async () => {},
  }
}
