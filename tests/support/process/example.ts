// Builds and serves the pages of examples/ with Vite, as their package.json does, and starts the backend of one of
// them.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { childEnv } from './child-env.ts'

const VITE = join(ROOT, 'node_modules/vite/bin/vite.js')

export type ServedExample = { close(): Promise<void> }

/** Builds `examples/NAME` outside the repository and serves it at `http://localhost:PORT`. */
export async function serveExample(
  name: string,
  port: number,
  env: Record<string, string>,
): Promise<ServedExample> {
  const cwd = join(ROOT, 'examples', name)
  const outDir = mkdtempSync(join(tmpdir(), 'pigeonhole-example-'))
  const options = { cwd, env: childEnv(env) }
  await promisify(execFile)(process.execPath, [VITE, 'build', '--outDir', outDir, '--emptyOutDir'], options)
  const args = [
    VITE,
    'preview',
    '--outDir',
    outDir,
    '--port',
    String(port),
    '--strictPort',
    '--host',
    'localhost',
  ]
  const stop = await startProcess(args, cwd, env, /Local:/)
  return {
    async close() {
      await stop()
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}

/** Starts a program, with Node unless `command` is another. Resolves when it prints a matching line, with a function that ends it. */
export async function startProcess(
  args: string[],
  cwd: string,
  env: Record<string, string>,
  ready: RegExp,
  command = process.execPath,
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: childEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines: string[] = []
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface(stream).on('line', (line) => {
        lines.push(line)
        if (ready.test(line)) resolve()
      })
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}:\n${lines.join('\n')}`)))
  })
  return async () => {
    child.kill()
    await exited
  }
}
