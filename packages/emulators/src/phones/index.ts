/** Page of virtual phones that show the pushes accepted by the emulators. */
export { type Phones, type PhonesOptions, startPhones } from './server.ts'
