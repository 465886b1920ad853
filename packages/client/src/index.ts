/** Typed client, and what it shares with the server. The upload engine is in ./browser and ./node. */

export * from './client.ts'
export * from './error-codes.ts'
export * from './limits.ts'
export * from './parts.ts'
export type { AppRouter } from './router.ts'
export type * from './upload/types.ts'
