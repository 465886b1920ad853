import { type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines on standard output. Fields that could hold a secret are redacted here, whoever logs them. */
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
