import { type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines on standard output. What could carry a secret is cut out here, whoever logs it. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'authorization',
        'cookie',
        'password',
        'token',
        'uploadUrl',
        '*.authorization',
        '*.cookie',
        '*.password',
        '*.token',
        '*.uploadUrl',
      ],
      censor: '[hidden]',
    },
  })
}
