/** Startup failed for a reason that an operator can fix. The message is one line and fit to print. */
export class StartupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartupError'
  }
}
