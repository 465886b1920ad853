import type { Gateway, Platform } from '../push/ports.ts'

/** Stands where a gateway has no credentials in the environment; the app runs all the same. */
export function createUnconfiguredGateway(platform: Platform): Gateway {
  return {
    platform,
    prepare: () => ({ platform, bytesOver: 0 }),
    send: async () => ({ kind: 'rejected', reason: 'GATEWAY_NOT_CONFIGURED' }),
    close: async () => {},
  }
}
