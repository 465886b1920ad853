// Packed packages work elsewhere: they contain JavaScript and declarations, and declare all their dependencies.

import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { MIB, startClientApp, writeRandom } from '../support/app/client-app.ts'
import { bundle } from '../support/browser/bundle.ts'
import { childEnv } from '../support/process/child-env.ts'
import {
  BIN,
  copyWorkspace,
  declared,
  install,
  manifestText,
  readManifest,
  run,
} from '../support/process/packed.ts'
import { packed } from '../support/process/packed-server.ts'

/** The installed Node 20, the oldest that the client supports; `node` of this process is newer. */
const node20 = (process.env.PATH ?? '')
  .split(':')
  .map((folder) => join(folder, 'node'))
  .find((path) => spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'))
if (node20 === undefined) console.log('SKIPPED: the client on Node 20, which is not in PATH')

/** Like `run`, but does not block this process. */
async function runAsync(command: string, args: string[], cwd: string, env: Record<string, string>) {
  const path = `${BIN}:${process.env.PATH}`
  const options = { cwd, env: childEnv({ ...env, PATH: path, PIGEONHOLE_STATE_DIR: join(cwd, 'state') }) }
  const { stdout } = await promisify(execFile)(command, args, options)
  return stdout
}

const packages = [
  { name: 'emulators', folder: 'packages/emulators', lib: ['ES2022'] },
  { name: 'client', folder: 'packages/client', lib: ['ES2022', 'DOM'] },
] as const

/** Returns the ts blocks of the package's README.md that import only the package and Node. */
function readmeExamples(folder: string): string[] {
  const { name } = readManifest(join(ROOT, folder))
  const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map((block) => block[1]!)
  return blocks.filter((code) =>
    [...code.matchAll(/ from '([^']+)'/g)].every(
      ([, from]) => from!.startsWith(name) || from!.startsWith('node:'),
    ),
  )
}

/** Uses the Uppy plugin with an app's own metadata. */
const UPPY_USE = `
import { createClient } from '@pigeonhole/client'
import { Pigeonhole, type PigeonholeBody } from '@pigeonhole/client/uppy'
import Uppy from '@uppy/core'

type Meta = { album: string }
const uppy = new Uppy<Meta, PigeonholeBody>()
const client = createClient()
uppy.use(Pigeonhole<Meta, PigeonholeBody>, { client, policy: 'avatar', data: ({ meta }) => ({ album: meta.album }) })
uppy.on('upload-success', (_, response) => response.body?.state satisfies 'HELD' | undefined)
uppy.getPlugin('Pigeonhole')?.setOptions({ policy: 'scan' })
new Uppy().use(Pigeonhole, { client, data: { album: 'Rome' } })
// @ts-expect-error the client is missing
new Uppy().use(Pigeonhole, {})
`

/**
 * Type-checks a project as Node and as bundlers resolve it. `paths` maps packages to declarations.
 * @throws Error with the errors of `tsc`
 */
function typecheck(project: string, lib: readonly string[], paths: Record<string, string[]> = {}): void {
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      module,
      moduleResolution,
      target: 'es2022',
      lib,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      noEmit: true,
      paths,
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    run('tsc', ['-p', project, '--singleThreaded'], project)
  }
}

describe.each(packages)('$folder, packed and installed elsewhere', ({ name, folder, lib }) => {
  const manifest = readManifest(join(ROOT, folder))
  const entries = Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1))
  const temporary = mkdtempSync(join(inject('runFolder'), 'pigeonhole-package-'))
  const project = join(temporary, 'project')
  let source: string
  let tarball: string

  beforeAll(async () => {
    ;({ folder: source, tarball } = await packed(name))
    install(project, [tarball], declared(manifest))
  })
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))

  test('packing leaves package.json unchanged', () => {
    expect(manifestText(source)).toBe(manifestText(join(ROOT, folder)))
  })

  test('contains JavaScript and declarations, but neither TypeScript nor scripts', () => {
    const installed = join(project, 'node_modules', manifest.name)
    expect(readManifest(installed).scripts).toBeUndefined()
    for (const entry of Object.values(readManifest(installed).exports)) {
      expect(entry).toEqual({
        types: expect.stringMatching(/^\.\/dist\/.*\.d\.ts$/),
        default: expect.stringMatching(/^\.\/dist\/.*\.js$/),
      })
    }
  })

  test('publint finds nothing', async () => {
    const pkgDir = join(project, 'node_modules', manifest.name)
    const { messages } = await publint({ pkgDir, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('attw finds nothing (profile esm-only: resolution as node16 from ESM, and as bundlers do)', async () => {
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
    if (!result.types) throw new Error('the package has no types')
    expect(Object.keys(result.entrypoints)).toEqual(Object.keys(manifest.exports))
    // ESM-only packages do not support resolution without `exports`, or `require`.
    const others = ['node10', 'node16-cjs']
    const problems = result.problems.filter(
      (problem) => !('resolutionKind' in problem && others.includes(problem.resolutionKind)),
    )
    expect(problems).toEqual([])
  })

  test('every entry can be imported in plain Node', () => {
    const script = `for (const entry of ${JSON.stringify(entries)})
      console.log(entry, Object.keys(await import(entry)).length > 0)`
    const expected = entries.map((entry) => `${entry} true`)
    const nodes = folder === 'packages/client' && node20 ? ['node', node20] : ['node']
    for (const node of nodes) {
      const printed = run(node, ['--input-type=module', '-e', script], project)
      expect(printed.trim().split('\n'), node).toEqual(expected)
    }
  })

  test('type-checks under strict without skipLibCheck, and so do the examples in its README', () => {
    const imports = entries.map((entry, i) => `import * as entry${i} from '${entry}'\nvoid entry${i}\n`)
    writeFileSync(join(project, 'use.ts'), imports.join(''))
    for (const [i, example] of readmeExamples(folder).entries())
      writeFileSync(join(project, `example-${i}.ts`), example)
    typecheck(project, lib)
  })

  test.runIf(folder === 'packages/client')(
    'the Uppy plugin type-checks with Uppy 5 and 6 without skipLibCheck',
    () => {
      const uses = join(project, 'uppy')
      mkdirSync(uses)
      writeFileSync(join(uses, 'use.ts'), UPPY_USE)
      typecheck(uses, lib)
      typecheck(uses, lib, { '@uppy/core': [join(ROOT, 'node_modules/uppy-core-6/lib/index.d.ts')] })
    },
  )

  test.runIf(folder === 'packages/client')(
    '15 lines of TypeScript upload 11 MB after `npm install`, which also installs `npx pigeonhole`',
    async () => {
      const app = await startClientApp()
      try {
        const user = await app.user()
        await writeRandom(join(project, 'holiday.mp4'), 11 * MIB)
        // The first example of the README, with the address of this server.
        const [example] = readmeExamples(folder)
        expect(example!.split('\n').filter(Boolean).length).toBeLessThanOrEqual(15)
        writeFileSync(join(project, 'upload.ts'), example!.replace('https://files.example.com', app.url))
        const env = { SESSION_TOKEN: user.token, PIGEONHOLE_TOKEN: user.token, PIGEONHOLE_URL: app.url }
        const printed = await runAsync('node', ['upload.ts'], project, env)
        expect(printed).toContain(`${11 * MIB} of ${11 * MIB} bytes`)
        const { items } = await app.ok(user, 'files.list')
        expect(items).toMatchObject([{ filename: 'holiday.mp4', size: 11 * MIB, state: 'READY' }])
        expect(printed.trim().endsWith(items[0].url)).toBe(true)

        writeFileSync(join(project, 'small.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
        const command = join(project, 'node_modules/.bin/pigeonhole')
        expect(await runAsync(command, ['upload', 'small.png'], project, env)).toContain('/files/')
        if (node20) {
          cpSync(join(project, 'holiday.mp4'), join(project, 'again.mp4'))
          expect(await runAsync(node20, [command, 'upload', 'again.mp4'], project, env)).toContain('/files/')
        }
      } finally {
        await app.close()
      }
    },
  )
})

test('a failed packing leaves package.json unchanged', () => {
  const temporary = mkdtempSync(join(inject('runFolder'), 'pigeonhole-package-'))
  copyWorkspace(temporary)
  symlinkSync(join(ROOT, 'node_modules'), join(temporary, 'node_modules'))
  const source = join(temporary, 'packages/broken')
  mkdirSync(join(source, 'src'), { recursive: true })
  // The same scripts pack all packages.
  const { engines, scripts } = readManifest(join(ROOT, 'packages/client'))
  const manifest = {
    name: 'broken',
    version: '1.0.0',
    type: 'module',
    engines,
    exports: { '.': './src/index.ts' },
    scripts,
  }
  writeFileSync(join(source, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(source, 'src', 'index.ts'), "export const wrong: number = 'text'\n")
  // Run the command that npm runs, without npm.
  expect(() => run('sh', ['-c', scripts!.prepack!], source)).toThrow('does not compile')
  expect(manifestText(source)).toBe(JSON.stringify(manifest))
  rmSync(temporary, { recursive: true, force: true })
})

test('gzipped, the browser engine has at most 20 KB without tRPC, the Uppy plugin 1 KB more, unused entries nothing', async () => {
  const size = async (code: string, external = /^@trpc\//) =>
    gzipSync(await bundle(code, { minify: true, external })).length
  expect(await size("export * from '@pigeonhole/client/browser'")).toBeLessThanOrEqual(20 * 1024)
  expect(await size("import '@pigeonhole/client'; import '@pigeonhole/client/browser'")).toBeLessThan(100)
  const uppy = "export { Pigeonhole } from '@pigeonhole/client/uppy'"
  expect(await size(uppy, /^@(trpc|uppy)\//)).toBeLessThanOrEqual(21 * 1024)
})
