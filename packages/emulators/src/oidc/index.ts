export { type OidcEmulator, type OidcFaults, startOidc } from './emulator.ts'
export type { OidcClient, OidcOptions, OidcUser } from './options.ts'
export { type Algorithm, createSigningKey, type SigningKey, signJwt } from './signing-keys.ts'
