/** A page of virtual phones that show the pushes which the emulators accepted. */
export { type Phones, type PhonesOptions, startPhones } from './server.ts'
