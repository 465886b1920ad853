// Runs a command of src/cli in the test's own process, and returns its output and exit code. A process of its own would
// take 0.25 s of CPU, so only one test per file proves that the command works as a process.

import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { childEnv } from './child-env.ts'

const CLI = fileURLToPath(new URL('../../../src/cli', import.meta.url))
let runs = 0

/** Only one at a time: meanwhile the process's arguments, environment and console belong to the command. */
export async function commandHere(
  name: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const { argv, env: kept, exitCode } = process
  let [out, err] = ['', '']
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line) => {
      out += `${line}\n`
    }),
    vi.spyOn(console, 'error').mockImplementation((line) => {
      err += `${line}\n`
    }),
  ]
  const file = `${CLI}/${name}.ts`
  Object.assign(process, {
    argv: [process.execPath, file, ...args],
    env: childEnv({ NODE_ENV: 'test', ...env }),
    exitCode: undefined,
  })
  try {
    // A command runs when it is loaded. A new name loads it again.
    await import(/* @vite-ignore */ `${file}?run=${++runs}`)
    return { code: Number(process.exitCode ?? 0), out, err }
  } finally {
    Object.assign(process, { argv, env: kept, exitCode })
    for (const spy of spies) spy.mockRestore()
  }
}
