/** Log of domains and adapters, in pino's shape. Details come first: `log.warn({ err }, 'what happened')`. */
export type Logger = {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Returns a log that adds these fields to each line. */
export function withFields(log: Logger, fields: object): Logger {
  return {
    debug: (details, message) => log.debug({ ...fields, ...details }, message),
    info: (details, message) => log.info({ ...fields, ...details }, message),
    warn: (details, message) => log.warn({ ...fields, ...details }, message),
    error: (details, message) => log.error({ ...fields, ...details }, message),
  }
}
