/**
 * S3, APNs (production and sandbox), FCM and web push in one call. For single emulators, PostgreSQL and phones, see the
 * sub-paths.
 */
export { type Emulators, type EmulatorsOptions, startEmulators } from './emulators.ts'
export { type SpawnedEmulator, spawnEmulator } from './spawn-emulator.ts'
export { ensureTls, type LocalTls } from './tls.ts'
