import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { EXIT, UsageError } from './command.ts'

/** Asks on the terminal, without echo if `hidden`. @throws UsageError with `otherwise` if there is no terminal */
export async function ask(
  question: string,
  options: { hidden?: boolean; otherwise: string },
): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(options.otherwise)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = options.hidden ? silent : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  // After the interface has turned the terminal's echo off: a script types as soon as it sees the question.
  process.stderr.write(question)
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('SIGINT', () => process.exit(EXIT.interrupted))
      lines.once('close', () => reject(new UsageError(options.otherwise)))
    })
  } finally {
    lines.close()
    if (options.hidden) process.stderr.write('\n')
  }
}
