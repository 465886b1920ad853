// A command of src/cli in the test's own process: what it prints and how it ends, without the quarter second of a core
// that a process costs. That a command works as a process is for one test of each file to prove.

import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { childEnv } from './child-env.ts'

const CLI = fileURLToPath(new URL('../../../src/cli', import.meta.url))
let runs = 0

/** One at a time: the process's arguments, environment and console are the command's meanwhile. */
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
    // Runs as it is loaded; under a new name it is loaded again.
    await import(/* @vite-ignore */ `${file}?run=${++runs}`)
    return { code: Number(process.exitCode ?? 0), out, err }
  } finally {
    Object.assign(process, { argv, env: kept, exitCode })
    for (const spy of spies) spy.mockRestore()
  }
}
