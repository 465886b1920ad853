import { type Logger, type LoggerOptions, pino } from 'pino'
import { logOutput } from './log-output.ts'

/** JSON lines on standard output. Fields that could hold a secret are redacted here, whoever logs them. */
export function createLog(level: string): Logger {
  const options: LoggerOptions = {
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
  }
  return pino(options, logOutput())
}
