// Packs the server with the other packages, and runs `npx pigeonhole dev` from an installation of it.

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { childEnv } from './child-env.ts'
import { BIN, copyWorkspace, pack } from './packed.ts'

/** PATH with the Node of this checkout. */
export const PATH = `${BIN}:${process.env.PATH}`

export type PackedPackages = { folders: string[]; tarballs: string[] }

/** Packs the server, the client and the emulators, in this order, in a copy of the repository: packing changes package.json. */
export async function packAll(copy: string): Promise<PackedPackages> {
  await buildIfNeeded()
  copyWorkspace(copy)
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // What the build reads, so that the copy's build counts as current.
  const files = ['src', 'prisma', 'public', '.next', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const name of [...files, 'next.config.js', 'postcss.config.mjs', 'README.md', 'LICENSE'])
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\.next\/(cache|dev)$/.test(path),
    })
  const folders = [copy, join(copy, 'packages/client'), join(copy, 'packages/emulators')]
  return { folders, tarballs: folders.map(pack) }
}

export type Dev = { child: ChildProcess; output: string; url: string; key: string; phones: string }

type DevOptions = {
  /** Command of an installation: `node_modules/.bin/pigeonhole`. */
  command: string
  /** Folder of the app. */
  app: string
  port?: number
  env?: Record<string, string>
}

/** Starts `npx pigeonhole dev` and waits for its first screen. `created` gets the process at once. */
export async function startDev(
  { command, app, port, env = {} }: DevOptions,
  created: (dev: Dev) => void,
): Promise<Dev> {
  const child = spawn(command, ['dev', ...(port ? [`--port=${port}`] : [])], {
    cwd: app,
    env: childEnv({ PATH, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const dev: Dev = { child, output: '', url: '', key: '', phones: '' }
  created(dev)
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        dev.output += chunk
        if (dev.output.includes('Ctrl-C stops everything')) resolve()
      })
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${dev.output}`)))
  })
  dev.url = /PIGEONHOLE_URL=(\S+)/.exec(dev.output)![1]!
  dev.key = /PIGEONHOLE_KEY=(\S+)/.exec(dev.output)![1]!
  dev.phones = /Phones +(\S+)/.exec(dev.output)![1]!
  return dev
}

/** Ends it as Ctrl-C does, and returns its exit code. */
export async function stopDev({ child }: Dev): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  return code
}
