/** Startup failure that an operator can fix. Its message is one printable line. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
