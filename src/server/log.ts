/** The log as domains and adapters see it; pino has this shape. Details first: `log.warn({ err }, 'what happened')`. */
export type Logger = {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
