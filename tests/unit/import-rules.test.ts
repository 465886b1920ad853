// The import rules of docs/architecture.md, kept by reading every import of src/ and packages/.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCE_ROOTS = ['src', 'packages/client/src', 'packages/emulators/src']
type Import = { file: string; target: string; typeOnly: boolean }

/** As the rules below name a file: `server/...` for what is in src, `packages/...` for the packages. */
const nameOf = (path: string) => relative(ROOT, path).replace(/^src\//, '')
const pathOf = (name: string) => join(ROOT, name.startsWith('packages/') ? name : `src/${name}`)

const files = SOURCE_ROOTS.flatMap((root) =>
  readdirSync(join(ROOT, root), { recursive: true, withFileTypes: true }),
)
  .filter((e) => e.isFile() && /\.tsx?$/.test(e.name))
  .map((e) => nameOf(join(e.parentPath, e.name)))
  .filter((f) => !f.startsWith('generated'))

const imports: Import[] = files.flatMap((file) => {
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
})

/** Where a file belongs; the first part that matches. */
function inside(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

function offending(from: string[], allowed: (i: Import) => boolean): string[] {
  return imports
    .filter((i) => inside(i.file, ...from) && !allowed(i))
    .map((i) => `${i.file} imports ${i.target}`)
}

/** What the server shares with its clients: constants and arithmetic without dependencies. */
const SHARED = [
  'packages/client/content-mismatch',
  'packages/client/error-codes',
  'packages/client/limits',
  'packages/client/parts',
]
const KERNEL = [
  'server/errors.ts',
  'server/clock.ts',
  'server/ids.ts',
  'server/validation.ts',
  'server/startup-error.ts',
  'server/log.ts',
  'server/trace.ts',
  'server/audit.ts',
  'server/rate-counter.ts',
  'server/backoff.ts',
  'server/fair-semaphore.ts',
  'server/retention-rounds.ts',
  'server/text.ts',
  ...SHARED,
]
/** Which language a reader has: pure functions, so that a mail has the language of the page that asked for it. */
const CHOICE_OF_LANGUAGE = ['ui/i18n/choose-locale.ts', 'ui/i18n/locales.ts']
const isPackage = (target: string) => !/^(app|server|ui|cli|packages|generated|instrumentation)/.test(target)
const SDK =
  /^(@aws-sdk|@prisma|pg$|jose$|apns2|firebase-admin|google-auth-library|undici|next$|next\/|next-auth|@trpc|@opentelemetry)/
const isSdk = (target: string) => SDK.test(target)

describe('who may import whom', () => {
  test('the reader finds imports', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(imports).toContainEqual({
      file: 'server/trpc/init.ts',
      target: 'server/errors.ts',
      typeOnly: false,
    })
  })

  test.each(['upload', 'push', 'webhooks', 'shares'])(
    'server/%s: its own files, errors, clock; no Prisma, AWS, Next, tRPC',
    (domain) => {
      const rule = (i: Import) =>
        inside(i.target, `server/${domain}`, ...KERNEL) || (isPackage(i.target) && !isSdk(i.target))
      expect(offending([`server/${domain}`], rule)).toEqual([])
    },
  )

  test('server/auth: its own files, config, errors, clock; of the SDKs only the session token of next-auth', () => {
    const rule = (i: Import) =>
      inside(i.target, 'server/auth', 'server/config.ts', ...KERNEL) ||
      (isPackage(i.target) && (!isSdk(i.target) || i.target === 'next-auth/jwt'))
    expect(offending(['server/auth'], rule)).toEqual([])
  })

  test("server/mail: its own files, auth's ports, the languages, the mail library", () => {
    const rule = (i: Import) =>
      inside(i.target, 'server/mail', 'server/auth/ports.ts', ...CHOICE_OF_LANGUAGE, ...KERNEL) ||
      (isPackage(i.target) && !isSdk(i.target))
    expect(offending(['server/mail'], rule)).toEqual([])
  })

  test.each([
    ['nodemailer', 'server/mail/smtp.ts'],
    ['firebase-admin/app', 'server/fcm/credentials.ts'],
    ['google-auth-library', 'server/fcm/credentials.ts'],
  ])('%s is loaded by %s alone, and not at the start', (name, file) => {
    const isOf = ({ target }: Import) => target === name || target.startsWith(`${name.split('/')[0]}/`)
    const users = imports.filter((i) => isOf(i) && !i.typeOnly).map((i) => i.file)
    expect([...new Set(users)]).toEqual([file])
    const text = readFileSync(pathOf(file), 'utf8')
    expect(text).toContain(`await import('${name}')`)
    expect(text).not.toMatch(new RegExp(`^import (?!type)[^\\n]*'${name}'`, 'm'))
  })

  test('trpc and http: services, auth, errors; never data or an SDK, next-auth in its folder excepted', () => {
    const rule = (i: Import) =>
      !inside(
        i.target,
        'server/data',
        'server/s3',
        'server/apns',
        'server/fcm',
        'server/webpush',
        'server/mail',
        'generated',
        'packages/emulators',
        'cli',
      ) &&
      (!inside(i.target, 'ui') || CHOICE_OF_LANGUAGE.includes(i.target)) &&
      (!inside(i.target, 'packages/client') || SHARED.includes(i.target)) &&
      (!isSdk(i.target) ||
        i.target.startsWith('@trpc/server') ||
        (inside(i.file, 'server/http/next-auth') && i.target.startsWith('next')))
    expect(offending(['server/trpc', 'server/http'], rule)).toEqual([])
  })

  test("adapters: the domain's ports, types and functions, their SDK; not the routes, pages or commands", () => {
    const rule = (i: Import) =>
      !inside(
        i.target,
        'server/trpc',
        'server/http',
        'server/container.ts',
        'app',
        'ui',
        'cli',
        'packages/emulators',
      ) &&
      (!inside(i.target, 'packages/client') || SHARED.includes(i.target))
    expect(
      offending(
        [
          'server/data',
          'server/s3',
          'server/apns',
          'server/fcm',
          'server/webpush',
          'server/gateway',
          'server/jwt',
        ],
        rule,
      ),
    ).toEqual([])
  })

  test('app: services, http, trpc, auth, ui, client', () => {
    const rule = (i: Import) =>
      isPackage(i.target) ||
      inside(
        i.target,
        'server/services.ts',
        'server/http',
        'server/trpc',
        'server/auth',
        'ui',
        'packages/client',
        'app',
      )
    expect(offending(['app'], rule)).toEqual([])
  })

  test('ui: client only', () => {
    expect(
      offending(['ui'], (i) => isPackage(i.target) || inside(i.target, 'ui', 'packages/client')),
    ).toEqual([])
  })

  test('client: npm packages and its own files, nothing of the app', () => {
    const rule = (i: Import) => isPackage(i.target) || inside(i.target, 'packages/client')
    expect(offending(['packages/client'], rule)).toEqual([])
  })

  test('the app imports packages by name, never by path', () => {
    const byPath = imports.filter(
      (i) => !inside(i.file, 'packages') && /^packages\/\w+\/src\//.test(i.target),
    )
    expect(byPath.map((i) => `${i.file} imports ${i.target}`)).toEqual([])
  })

  test('emulators: Node and npm packages, never the server', () => {
    expect(
      offending(['packages/emulators'], (i) => isPackage(i.target) || inside(i.target, 'packages/emulators')),
    ).toEqual([])
  })

  test('egress: Node and npm packages', () => {
    expect(
      offending(['server/egress'], (i) => isPackage(i.target) || inside(i.target, 'server/egress')),
    ).toEqual([])
  })

  test('OpenTelemetry is loaded by one file, and that one only where tracing is on', () => {
    const users = imports.filter((i) => i.target.startsWith('@opentelemetry')).map((i) => i.file)
    expect([...new Set(users)]).toEqual(['server/telemetry/tracing.ts'])
    const loaders = imports.filter((i) => i.target === 'server/telemetry/tracing.ts' && !i.typeOnly)
    expect(loaders.map((i) => i.file)).toEqual(['server/container.ts'])
    const container = readFileSync(pathOf('server/container.ts'), 'utf8')
    expect(container).toContain("config.tracing ? (await import('./telemetry/tracing.ts'))")
  })

  test('nobody but the start of the services reaches for the container, so that Next bundles none of it', () => {
    const usersOf = (target: string) =>
      imports.filter((i) => i.target === target && !i.typeOnly).map((i) => i.file)
    expect(usersOf('server/container.ts')).toEqual(['server/start-services.ts'])
    // The second names its type, and has Node load it.
    expect(usersOf('server/start-services.ts')).toEqual(['cli/serve.ts', 'server/load-services.ts'])
    expect(readFileSync(pathOf('server/load-services.ts'), 'utf8')).not.toMatch(/await import\(\s*'/)
    expect(
      usersOf('server/services.ts').filter((f) => !inside(f, 'app', 'server/start-services.ts')),
    ).toEqual([])
  })
})

describe('process.env', () => {
  test('is read in server/config.ts, commands and emulators only', () => {
    const readers = files.filter((f) => /process\.env\b/.test(readFileSync(pathOf(f), 'utf8')))
    // Next replaces process.env.NEXT_RUNTIME at build time, which keeps the server out of the edge bundle.
    expect(
      readers.filter((f) => !inside(f, 'server/config.ts', 'cli', 'packages', 'instrumentation.ts')),
    ).toEqual([])
  })
})

test('no cycles, not even of types', () => {
  const next = new Map(files.map((f) => [f, imports.filter((i) => i.file === f).map((i) => i.target)]))
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
  for (const file of files) visit(file, [])
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
  // A set's loop also visits what is added meanwhile.
  for (const file of reached)
    for (const { target } of imports.filter((i) => i.file === file && !i.typeOnly))
      if (/\.tsx?$/.test(target)) reached.add(target)
  expect([...reached].filter((file) => !inside(file, ...copied))).toEqual([])
})
