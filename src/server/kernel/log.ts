/** Log of domains and adapters, in pino's shape. Details come first: `log.warn({ err }, 'what happened')`. */
export type Logger = {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
