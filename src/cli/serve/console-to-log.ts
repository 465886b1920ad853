import { format, stripVTControlCharacters } from 'node:util'
import type { Logger } from '../../server/kernel/log.ts'

/** Writes what Next and libraries print to the log, so that every line of output is JSON. */
export function consoleToLog(log: Logger): void {
  const to =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (...args: unknown[]) => {
      const err = args.find((arg) => arg instanceof Error)
      const text = stripVTControlCharacters(format(...args.filter((arg) => arg !== err))).trim()
      log[level]({ source: 'console', ...(err && { err }) }, text || 'error')
    }
  Object.assign(console, {
    debug: to('debug'),
    log: to('info'),
    info: to('info'),
    warn: to('warn'),
    error: to('error'),
  })
}
