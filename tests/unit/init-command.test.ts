// `pigeonhole init` over small apps, laid out as create-next-app does. tests/new-app/create-next-app.test.ts runs the result.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ignores } from '../../src/cli/init/gitignore.ts'
import { AUTH_LIBRARIES } from '../../src/cli/init/read-app.ts'
import { runInit } from '../../src/cli/init/run-init.ts'
import { updateEnvLocal } from '../../src/cli/local/env-local.ts'

const BIOME = join(import.meta.dirname, '../../node_modules/.bin/biome')

/** Folders of the apps, which this repository has too: a test looks for every path that a test names. */
const [SRC, PUBLIC] = ['src', 'public']

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pigeonhole-init-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(folder, path), 'utf8')
function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
/** Returns the text of every file by its path. */
const texts = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  )

type Options = {
  js?: boolean
  src?: boolean
  alias?: string | null
  gitignore?: string | null
  packages?: Record<string, string>
  dev?: string
}

/** Creates an app like those of create-next-app. */
function createApp(options: Options = {}): void {
  const { js = false, src = true, alias = '@/*', gitignore = '.env*\n', packages, dev = 'next dev' } = options
  put('package.json', JSON.stringify({ scripts: { dev }, dependencies: { next: '16.4.3', ...packages } }))
  const paths =
    alias === null ? '' : `// The app's modules.\n"paths": { "${alias}": ["./${src ? 'src/' : ''}*"], },`
  put(js ? 'jsconfig.json' : 'tsconfig.json', `{ "compilerOptions": { ${paths} } }`)
  put(`${src ? 'src/' : ''}app/layout.${js ? 'js' : 'tsx'}`, 'export default null\n')
  if (gitignore !== null) put('.gitignore', gitignore)
}

describe.each([
  ['TypeScript', false],
  ['JavaScript', true],
])('%s', (_, js) => {
  test.each([
    ['with src/', true],
    ['without src/', false],
  ])('%s: writes the modules next to the app, and lists them', async (_, src) => {
    createApp({ js, src })
    const { code, text } = await runInit(folder, [])
    expect(code).toBe(0)
    const base = src ? 'src/' : ''
    const [module, component] = js ? ['js', 'js'] : ['ts', 'tsx']
    const written = [
      `${base}lib/pigeonhole.${module}`,
      `${base}app/api/pigeonhole-token/route.${module}`,
      `${base}components/pigeonhole-upload.${component}`,
      `${base}components/pigeonhole-push.${component}`,
      `${base}app/pigeonhole/page.${component}`,
      `${PUBLIC}/pigeonhole-worker.js`,
      '.env.local',
    ]
    for (const path of written) {
      expect(existsSync(join(folder, path)), path).toBe(true)
      expect(text).toContain(`\n  ${path} `)
    }
    expect(read(`${base}components/pigeonhole-push.${component}`)).toContain('from "@/lib/pigeonhole"')
    expect(read('.gitignore')).toBe('.env*\n')
    expect(text).toContain(`getUserId: ${base}app/api/pigeonhole-token/route.${module}`)
  })

  test.each(AUTH_LIBRARIES)("%s: the code passes create-next-app's Biome check", async (auth) => {
    createApp({ js })
    await runInit(folder, ['--auth', auth])
    put(
      'biome.json',
      JSON.stringify({
        formatter: { indentStyle: 'space', indentWidth: 2 },
        linter: { rules: { preset: 'recommended' }, domains: { next: 'recommended', react: 'recommended' } },
        assist: { actions: { source: { organizeImports: 'on' } } },
      }),
    )
    const paths = globSync('**/{pigeonhole*,route.*,pigeonhole/page.*}', { cwd: folder })
    const { status, stdout, stderr } = spawnSync(BIOME, ['check', '--error-on-warnings', ...paths], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/Checked \d/),
    })
    if (js) expect(Object.values(texts()).join()).not.toMatch(/[«»]|: Request\b|import type/)
    else expect(Object.values(texts()).join()).not.toMatch(/[«»]/)
  })
})

test.each([
  ['~/*', '"~/lib/pigeonhole"'],
  [null, '"../lib/pigeonhole"'],
])('with the alias %s, modules import %s', async (alias, specifier) => {
  createApp({ alias })
  await runInit(folder, [])
  expect(read(`${SRC}/components/pigeonhole-upload.tsx`)).toContain(`from ${specifier}`)
})

test.each([
  ['package-lock.json', 'npx pigeonhole dev', 'npm run dev', 'npm install @pigeonhole/client'],
  ['pnpm-lock.yaml', 'pnpm exec pigeonhole dev', 'pnpm dev', 'pnpm add @pigeonhole/client'],
  ['yarn.lock', 'yarn pigeonhole dev', 'yarn dev', 'yarn add @pigeonhole/client @trpc/client @trpc/server'],
])('with %s, the next steps are %s, %s and %s', async (lockfile, ...commands) => {
  createApp()
  put(lockfile, '')
  const { text } = await runInit(folder, ['--dry-run'])
  for (const command of commands) expect(text).toContain(` ${command}`)
})

test.each([
  ['a folder', `${SRC}/components`, 'shared'],
  ['.env.local', '.env.local', 'shared/tracked.env'],
  ['a file that does not exist', '.gitignore', 'shared/none'],
])(
  'a symbolic link that leads out of the app, from %s, is named, and nothing is written',
  async (_, from, to) => {
    const root = folder
    put('shared/tracked.env', 'A=1\n')
    folder = join(root, 'app')
    createApp({ gitignore: null })
    symlinkSync(join(root, to), join(folder, from))
    const before = texts()
    const { code, text } = await runInit(folder, [])
    expect([code, texts()]).toEqual([2, before])
    expect(text).toContain(`\n  ${from}`)
    folder = root
    expect(readdirSync(join(root, 'shared'))).toEqual(['tracked.env'])
    expect(read('shared/tracked.env')).toBe('A=1\n')
  },
)

test('in a monorepo, the package manager is that of a folder above', async () => {
  const root = folder
  put('.git/HEAD', '')
  put('pnpm-lock.yaml', '')
  folder = join(root, 'apps/web')
  createApp({ packages: { '@pigeonhole/client': '0.1.0' } })
  const { text } = await runInit(folder, ['--dry-run'])
  folder = root
  expect(text).toContain('1. pnpm exec pigeonhole dev')
})

describe('the library that signs users in', () => {
  const route = () => read(`${SRC}/app/api/pigeonhole-token/route.ts`)

  test.each([
    ['next-auth', { 'next-auth': '^4.24.15' }, 'await getToken({ req: request })'],
    ['next-auth 5', { 'next-auth': '5.0.0-beta.30' }, 'secret: process.env.AUTH_SECRET'],
    ['better-auth', { 'better-auth': '^1.7.0' }, 'import { auth } from "@/lib/auth"'],
    ['clerk', { '@clerk/nextjs': '^7.0.0' }, 'import { auth } from "@clerk/nextjs/server"'],
    ['custom', {}, '"developer"'],
  ])('is found in package.json: %s', async (_, packages, code) => {
    createApp({ packages })
    expect((await runInit(folder, [])).code).toBe(0)
    expect(route()).toContain(code)
  })

  test('must be chosen if package.json names two', async () => {
    createApp({ packages: { 'next-auth': '4', 'better-auth': '1' } })
    const { code, text } = await runInit(folder, [])
    expect({ code, text }).toEqual({
      code: 2,
      text: expect.stringMatching(
        /^package\.json names next-auth, better-auth\. Choose one with --auth\.\n.*--help/,
      ),
    })
    expect((await runInit(folder, ['--auth', 'better-auth'])).code).toBe(0)
    expect(route()).toContain('auth.api.getSession')
  })

  test('of better-auth is imported from where the app creates it; if none is found, the next steps say so', async () => {
    createApp()
    const missing = await runInit(folder, ['--auth', 'better-auth', '--dry-run'])
    expect(missing.text).toContain(`Correct its import: ${SRC}/app/api/pigeonhole-token/route.ts`)
    put('auth.ts', '')
    const { text } = await runInit(folder, ['--auth', 'better-auth'])
    expect(route()).toContain('import { auth } from "../../../../auth"')
    expect(text).not.toContain('Correct its import')
  })
})

describe('files of the app', () => {
  test('are never overwritten: conflicts are named, and nothing is written', async () => {
    createApp()
    put(`${SRC}/components/pigeonhole-upload.tsx`, 'mine\n')
    // Next would find two pages.
    put(`${SRC}/app/pigeonhole/page.jsx`, 'mine\n')
    const before = texts()
    for (const args of [[], ['--dry-run']]) {
      const { code, text } = await runInit(folder, args)
      expect(code).toBe(2)
      expect(text).toContain(`  ${SRC}/components/pigeonhole-upload.tsx\n  ${SRC}/app/pigeonhole/page.jsx`)
      expect(texts()).toEqual(before)
    }
  })

  test('are the same after a second run, which names all of them', async () => {
    createApp()
    await runInit(folder, [])
    const before = texts()
    const { code, text } = await runInit(folder, [])
    expect(code).toBe(2)
    expect(text.match(/^ {2}\S+$/gm)).toHaveLength(6)
    expect(texts()).toEqual(before)
  })

  test('are the same after a dry run, which lists what it would write', async () => {
    createApp({ gitignore: null })
    const before = texts()
    const { code, text } = await runInit(folder, ['--dry-run'])
    expect(code).toBe(0)
    expect(text).toMatch(
      /^Would write\n\n {2}src\/lib\/pigeonhole\.ts .*\n {2}\.gitignore .* {2}\.env\.local\n/s,
    )
    expect(texts()).toEqual(before)
  })

  test('are the same after a failed write', async () => {
    createApp()
    // A file where a folder must be.
    put('public', '')
    const before = texts()
    expect(await runInit(folder, [])).toEqual({
      code: 1,
      text: `Cannot use ${join(folder, PUBLIC, 'pigeonhole-worker.js')}: a folder of this path is a file. Move or delete that file. Nothing was written.`,
    })
    expect(texts()).toEqual(before)
  })
})

describe('.env.local', () => {
  const key = { id: 'key', key: 'sk_from_dev' }

  test('gets the address, an empty key and the origin; no other file has a secret', async () => {
    createApp({ dev: 'next dev --turbopack -p 4000' })
    await runInit(folder, [])
    expect(read('.env.local')).toBe(
      '# Pigeonhole\nPIGEONHOLE_URL=http://localhost:3100\nPIGEONHOLE_KEY=\nNEXT_PUBLIC_PIGEONHOLE_URL=$PIGEONHOLE_URL\nCORS_ORIGINS=http://localhost:4000\n',
    )
    expect(statSync(join(folder, '.env.local')).mode & 0o077).toBe(0)
  })

  test('gets the key and the address of a service that has run here', async () => {
    createApp()
    put('.pigeonhole/server-key.json', JSON.stringify(key))
    put('.pigeonhole/port', '3217\n')
    await runInit(folder, [])
    expect(parseEnv(read('.env.local'))).toMatchObject({
      PIGEONHOLE_URL: 'http://localhost:3217',
      PIGEONHOLE_KEY: key.key,
    })
    const others = Object.entries(texts()).filter(([path]) => !/^\.(env\.local|pigeonhole)/.test(path))
    expect(others.filter(([, text]) => text.includes(key.key))).toEqual([])
  })

  test('keeps its lines, and gets only missing variables', async () => {
    createApp()
    put('.env.local', 'MINE=1\nPIGEONHOLE_URL=https://files.example.com\nPIGEONHOLE_KEY=sk_mine')
    await runInit(folder, [])
    expect(read('.env.local')).toBe(
      'MINE=1\nPIGEONHOLE_URL=https://files.example.com\nPIGEONHOLE_KEY=sk_mine\n\n# Pigeonhole\nNEXT_PUBLIC_PIGEONHOLE_URL=$PIGEONHOLE_URL\nCORS_ORIGINS=http://localhost:3000\n',
    )
  })

  test('gets the key from `pigeonhole dev`, which changes no other service, and adds no variable', async () => {
    const url = 'http://localhost:3101'
    const update = (previousUrl?: string) => updateEnvLocal(folder, { url, key: 'sk_new', previousUrl })
    expect(update()).toBe(false)
    expect(existsSync(join(folder, '.env.local'))).toBe(false)

    createApp()
    await runInit(folder, [])
    expect(update()).toBe(true)
    expect(parseEnv(read('.env.local'))).toMatchObject({ PIGEONHOLE_URL: url, PIGEONHOLE_KEY: 'sk_new' })
    const before = read('.env.local')
    expect(update()).toBe(true)
    expect(read('.env.local')).toBe(before)

    // After a change of the port, and after the data was deleted.
    put('.env.local', 'A=1\nPIGEONHOLE_URL=http://localhost:3100\nexport PIGEONHOLE_KEY=sk_old\nB=2\n')
    expect(update('http://localhost:3100')).toBe(true)
    expect(read('.env.local')).toBe(`A=1\nPIGEONHOLE_URL=${url}\nexport PIGEONHOLE_KEY=sk_new\nB=2\n`)

    for (const other of [
      'PIGEONHOLE_URL=https://files.example.com\nPIGEONHOLE_KEY=\n',
      'PIGEONHOLE_URL=http://localhost:3000\nPIGEONHOLE_KEY=sk_other\n',
      'PIGEONHOLE_URL=http://localhost:3101\n',
    ]) {
      put('.env.local', other)
      expect(update()).toBe(false)
      expect(read('.env.local')).toBe(other)
    }
  })
})

describe('.gitignore', () => {
  test.each([
    ['.env*', true],
    ['.env*.local', true],
    ['/.env.local', true],
    ['**/.env.local', true],
    ['*.local', true],
    ['.env.loca[l]', true],
    ['.env*\n!.env.local', false],
    ['# .env.local', false],
    ['.env', false],
    ['config/.env.local', false],
    ['', false],
  ])('%j ignores .env.local: %s', async (text, expected) => {
    expect(ignores(text, '.env.local')).toBe(expected)
    createApp({ gitignore: text })
    await runInit(folder, [])
    const gap = text === '' ? '' : '\n\n'
    expect(read('.gitignore')).toBe(expected ? text : `${text}${gap}# Pigeonhole\n.env.local\n`)
  })

  test('is created if it is missing, unless one above it in the repository ignores the file', async () => {
    createApp({ gitignore: null })
    await runInit(folder, [])
    expect(read('.gitignore')).toBe('# Pigeonhole\n.env.local\n')

    rmSync(folder, { recursive: true })
    put('.git/HEAD', '')
    put('.gitignore', '.env*\n')
    const root = folder
    folder = join(root, 'apps/web')
    createApp({ gitignore: null })
    await runInit(folder, [])
    expect(existsSync(join(folder, '.gitignore'))).toBe(false)
    folder = root
  })
})

test.each([
  ['without package.json', () => undefined, /^This folder has no package\.json that names next\./],
  [
    'of the Pages Router',
    () => put('package.json', '{"dependencies":{"next":"16"}}'),
    /needs the App Router/,
  ],
])('a folder %s is left as it is, with exit code 1', async (_, prepare, message) => {
  prepare()
  const before = texts()
  expect(await runInit(folder, [])).toEqual({ code: 1, text: expect.stringMatching(message) })
  expect(texts()).toEqual(before)
})

test('wrong usage prints two lines', async () => {
  createApp()
  for (const args of [['--auth', 'auth0'], ['--atuh', 'clerk'], ['next-auth']])
    expect(await runInit(folder, args)).toEqual({
      code: 2,
      text: expect.stringMatching(/^[^\n]+\nRun "pigeonhole init --help" for usage\.$/),
    })
  expect((await runInit(folder, ['--help'])).text).toMatch(/^Usage: pigeonhole init/)
})
