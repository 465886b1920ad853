// Packs the server with the other packages, and runs `npx pigeonhole dev` from an installation of it.

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { buildIfNeeded, doOnce, ROOT } from '../../../src/cli/build-if-needed.ts'
import { childEnv } from './child-env.ts'
import { BIN, copyWorkspace, pack } from './packed.ts'

/** PATH with the Node of this checkout. */
export const PATH = `${BIN}:${process.env.PATH}`

export type PackedPackages = { folders: string[]; tarballs: string[] }

/**
 * Returns the server, the client and the emulators, in this order, packed once for all test files of a run. Tests must
 * not change the folders. @throws Error if packing failed, for this or another file
 */
export async function packedPackages(): Promise<PackedPackages> {
  const shared = join(inject('runFolder'), 'packed')
  const result = `${shared}.json`
  let outcome: { packages?: PackedPackages; error?: string } | undefined
  await doOnce(
    `${shared}.lock`,
    async () => {
      if (existsSync(result)) outcome = JSON.parse(readFileSync(result, 'utf8'))
      return outcome !== undefined
    },
    async () => {
      // What a process left that died while packing.
      rmSync(shared, { recursive: true, force: true })
      outcome = await packAll(shared).then(
        (packages) => ({ packages }),
        (error) => ({ error: String(error) }),
      )
      writeFileSync(`${result}.new`, JSON.stringify(outcome))
      renameSync(`${result}.new`, result)
    },
  )
  if (!outcome?.packages) throw new Error(outcome?.error)
  return outcome.packages
}

/** Packs in a copy of the repository, because packing changes package.json. */
async function packAll(copy: string): Promise<PackedPackages> {
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
