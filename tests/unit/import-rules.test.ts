// Enforces the import rules of docs/architecture.md in src/ and packages/, and finds cycles there and in tests/.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCE_ROOTS = ['src', 'packages/client/src', 'packages/emulators/src']
const TEST_ROOTS = ['tests', 'packages/client/tests', 'packages/emulators/tests']
type Import = { file: string; target: string; typeOnly: boolean }

/** Returns a file's name in the rules below: `server/...` for files in src, otherwise the path, as `packages/...`. */
const nameOf = (path: string) => relative(ROOT, path).replace(/^src\//, '')
const pathOf = (name: string) => join(ROOT, /^(packages|tests)\//.test(name) ? name : `src/${name}`)

const filesIn = (roots: string[]) =>
  roots
    .flatMap((root) => readdirSync(join(ROOT, root), { recursive: true, withFileTypes: true }))
    .filter((e) => e.isFile() && /\.tsx?$/.test(e.name))
    .map((e) => nameOf(join(e.parentPath, e.name)))
    .filter((f) => !f.startsWith('generated'))

const importsOf = (file: string): Import[] => {
  const text = readFileSync(pathOf(file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map((m) => {
    const name = m[3] ?? m[4] ?? m[5]!
    return {
      file,
      typeOnly: m[2] !== undefined,
      target: name.startsWith('.')
        ? nameOf(resolve(dirname(pathOf(file)), name))
        : name.replace(/^@pigeonhole\//, 'packages/'),
    }
  })
}

const files = filesIn(SOURCE_ROOTS)
const imports = files.flatMap(importsOf)

/** Returns true if the file is in one of these folders. */
function inside(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

function offending(from: string[], allowed: (i: Import) => boolean): string[] {
  return imports
    .filter((i) => inside(i.file, ...from) && !allowed(i))
    .map((i) => `${i.file} imports ${i.target}`)
}

/** Modules that the server shares with its clients: constants and arithmetic without dependencies. */
const SHARED = [
  'packages/client/content-mismatch',
  'packages/client/error-codes',
  'packages/client/format',
  'packages/client/limits',
  'packages/client/parts',
]
/** Selects the language with pure functions, so that an email has the language of the page that requested it. */
const LANGUAGE_SELECTION = ['ui/i18n/choose-locale.ts', 'ui/i18n/locales.ts']
const isPackage = (target: string) =>
  !/^(app|server|ui|cli|packages|generated|instrumentation)\b(?!-)/.test(target)

/** Layers from top to bottom. Folders of one row are on the same level. */
const LAYERS = [['wiring'], ['api', 'doctor'], ['config', 'adapters'], ['domain'], ['kernel']]
const layerOf = (path: string) => LAYERS.findIndex((row) => row.includes(path.split('/')[1]!))
/** Domains do not import each other; nor do the adapters of the gateways, the store and the database. */
const partOf = (path: string) =>
  path
    .split('/')
    .slice(1, path.startsWith('server/domain/') ? 3 : 2)
    .join('/')

/** Frameworks and SDKs, and the folders that may import them. */
const SDKS: [sdk: RegExp, users: string[]][] = [
  [/^(@trpc|next($|\/|-auth))/, ['server/api']],
  [/^next-auth\/jwt$/, ['server/api', 'server/domain/accounts']],
  [
    /^(@aws-sdk|@prisma|@simplewebauthn\/server|pg$|jose$|apns2|firebase-admin|google-auth-library|undici|nodemailer|@opentelemetry|prom-client|pino$)/,
    ['server/adapters', 'server/doctor'],
  ],
]
const mayUse = (file: string, sdk: string) => {
  const rules = SDKS.filter(([pattern]) => pattern.test(sdk))
  return rules.length === 0 || rules.some(([, users]) => inside(file, ...users))
}

describe('import rules', () => {
  test('the reader finds imports', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(imports).toContainEqual({
      file: 'server/api/trpc/init.ts',
      target: 'server/kernel/errors.ts',
      typeOnly: false,
    })
  })

  test('every file of the server belongs to a layer', () => {
    expect(files.filter((file) => file.startsWith('server/') && layerOf(file) < 0)).toEqual([])
  })

  test('nothing on the server imports upward, or sideways', () => {
    const rule = ({ file, target }: Import) =>
      inside(target, 'server')
        ? partOf(file) === partOf(target) ||
          (layerOf(file) < layerOf(target) &&
            !(inside(file, 'server/api') && inside(target, 'server/adapters')))
        : inside(target, 'generated')
          ? inside(file, 'server/adapters/postgres')
          : isPackage(target)
            ? mayUse(file, target)
            : [...SHARED, ...LANGUAGE_SELECTION].includes(target)
    expect(offending(['server'], rule)).toEqual([])
  })

  test.each([
    ['nodemailer', 'server/adapters/smtp/smtp.ts'],
    ['firebase-admin/app', 'server/adapters/fcm/credentials.ts'],
    ['google-auth-library', 'server/adapters/fcm/credentials.ts'],
    ['apns2', 'server/adapters/apns/payload.ts'],
  ])('%s is loaded only by %s, and not at startup', (name, file) => {
    const isOf = ({ target }: Import) => target === name || target.startsWith(`${name.split('/')[0]}/`)
    const users = imports.filter((i) => isOf(i) && !i.typeOnly).map((i) => i.file)
    expect([...new Set(users)]).toEqual([file])
    const text = readFileSync(pathOf(file), 'utf8')
    // `require` for callers that cannot wait.
    expect(text).toMatch(new RegExp(`(await import|= require)\\('${name}'\\)`))
    expect(text).not.toMatch(new RegExp(`^import (?!type)[^\\n]*'${name}'`, 'm'))
  })

  test('app imports only services, api, the accounts of the domain, ui and client', () => {
    const rule = (i: Import) =>
      isPackage(i.target) ||
      inside(
        i.target,
        'server/wiring/services.ts',
        'server/api',
        'server/domain/accounts',
        'ui',
        'packages/client',
        'app',
      )
    expect(offending(['app'], rule)).toEqual([])
  })

  test('ui imports only client', () => {
    expect(
      offending(['ui'], (i) => isPackage(i.target) || inside(i.target, 'ui', 'packages/client')),
    ).toEqual([])
  })

  test('client imports npm packages and its own files, but nothing of the app', () => {
    const rule = (i: Import) => isPackage(i.target) || inside(i.target, 'packages/client')
    expect(offending(['packages/client'], rule)).toEqual([])
  })

  test('the app imports packages by name, never by path', () => {
    const byPath = imports.filter(
      (i) => !inside(i.file, 'packages') && /^packages\/\w+\/src\//.test(i.target),
    )
    expect(byPath.map((i) => `${i.file} imports ${i.target}`)).toEqual([])
  })

  test('emulators import Node and npm packages, never the server', () => {
    expect(
      offending(['packages/emulators'], (i) => isPackage(i.target) || inside(i.target, 'packages/emulators')),
    ).toEqual([])
  })

  test('OpenTelemetry is loaded by one file, and only if tracing is on', () => {
    const users = imports.filter((i) => i.target.startsWith('@opentelemetry')).map((i) => i.file)
    expect([...new Set(users)]).toEqual(['server/adapters/telemetry/tracing.ts'])
    const loaders = imports.filter((i) => i.target === 'server/adapters/telemetry/tracing.ts' && !i.typeOnly)
    expect(loaders.map((i) => i.file)).toEqual(['server/wiring/infrastructure.ts'])
    const loader = readFileSync(pathOf('server/wiring/infrastructure.ts'), 'utf8')
    expect(loader).toMatch(
      /config\.tracing\s*\? \(await import\('\.\.\/adapters\/telemetry\/tracing\.ts'\)\)/,
    )
  })

  test('only the startup code of the services imports the container, so that Next bundles none of it', () => {
    const usersOf = (target: string) =>
      imports.filter((i) => i.target === target && !i.typeOnly).map((i) => i.file)
    expect(usersOf('server/wiring/build-services.ts')).toEqual(['server/wiring/start-services.ts'])
    // The second imports only its type and lets Node load it.
    expect(usersOf('server/wiring/start-services.ts')).toEqual([
      'cli/serve.ts',
      'server/wiring/load-services.ts',
    ])
    expect(readFileSync(pathOf('server/wiring/load-services.ts'), 'utf8')).not.toMatch(/await import\(\s*'/)
    expect(
      usersOf('server/wiring/services.ts').filter(
        (f) => !inside(f, 'app', 'server/wiring/start-services.ts', 'server/wiring/load-services.ts'),
      ),
    ).toEqual([])
  })
})

describe('process.env', () => {
  test('is read only in server/config, commands and emulators', () => {
    const readers = files.filter((f) => /process\.env\b/.test(readFileSync(pathOf(f), 'utf8')))
    // Next replaces process.env.NEXT_RUNTIME at build time, which keeps the server out of the edge bundle.
    expect(
      readers.filter((f) => !inside(f, 'server/config/config.ts', 'cli', 'packages', 'instrumentation.ts')),
    ).toEqual([])
  })
})

test('there are no import cycles, not even of types or in the tests', () => {
  const all = [...files, ...filesIn(TEST_ROOTS)]
  const next = new Map(all.map((file) => [file, importsOf(file).map((i) => i.target)]))
  const cycles = new Set<string>()
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) {
      cycles.add([...path.slice(at)].sort().join(' <-> '))
      return
    }
    if (done.has(file) || !next.has(file)) return
    for (const target of next.get(file)!) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of all) visit(file, [])
  expect([...cycles]).toEqual([])
})

test('the image has every file that its commands and the routes of `npm start` import', () => {
  const lastStage = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)!
  const copied = [...lastStage.matchAll(/^COPY (?:--from=\w+ )?(.+) \S+$/gm)]
    .flatMap((match) => match[1]!.split(' '))
    .map((path) => path.replace(/^\/app\//, '').replace(/^src\//, ''))
  const commands = ['start', 'migrate', 'user-create', 'doctor', 'quota-check', 'orphans', 'bucket-setup']
  const reached = new Set([
    ...commands.map((name) => `cli/${name}.ts`),
    ...files.filter((file) => /^app\/.*\broute\.ts$/.test(file)),
  ])
  // The loop also visits entries that are added to the set meanwhile.
  for (const file of reached)
    for (const { target } of imports.filter((i) => i.file === file && !i.typeOnly))
      if (/\.tsx?$/.test(target)) reached.add(target)
  expect([...reached].filter((file) => !inside(file, ...copied))).toEqual([])
})
