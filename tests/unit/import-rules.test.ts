// DESIGN.md's rules, kept by reading every import of src/.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')
type Import = { file: string; target: string; typeOnly: boolean }

const files = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((e) => e.isFile() && /\.tsx?$/.test(e.name))
  .map((e) => relative(SRC, join(e.parentPath, e.name)))
  .filter((f) => !f.startsWith('generated'))

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8')
  const found = text.matchAll(
    /(?:^|\n)\s*(import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
  )
  return [...found].map((m) => {
    const name = m[3] ?? m[4] ?? m[5]!
    return {
      file,
      typeOnly: m[2] !== undefined,
      target: name.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file), name)) : name,
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

const KERNEL = ['server/errors.ts', 'server/clock.ts', 'server/ids.ts', 'server/validation.ts']
const isPackage = (target: string) =>
  !/^(app|server|client|ui|cli|standins|generated|instrumentation)/.test(target)
const SDK =
  /^(@aws-sdk|@prisma|pg$|pg-boss|apns2|firebase-admin|google-auth-library|undici|next$|next\/|next-auth|@trpc)/
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

  test.each(['upload', 'push'])(
    'server/%s: its own files, errors, clock; no Prisma, AWS, Next, tRPC',
    (domain) => {
      const rule = (i: Import) =>
        inside(i.target, `server/${domain}`, ...KERNEL) || (isPackage(i.target) && !isSdk(i.target))
      expect(offending([`server/${domain}`], rule)).toEqual([])
    },
  )

  test('trpc and http: services, auth, errors; never data or an SDK', () => {
    const rule = (i: Import) =>
      !inside(
        i.target,
        'server/data',
        'server/s3',
        'server/apns',
        'server/fcm',
        'server/jobs',
        'generated',
        'standins',
        'ui',
        'client',
        'cli',
      ) &&
      (!isSdk(i.target) || i.target.startsWith('@trpc/server'))
    expect(offending(['server/trpc', 'server/http'], rule)).toEqual([])
  })

  test("adapters: the domain's ports and types, their SDK; not the routes, not each other's domain services", () => {
    const rule = (i: Import) =>
      !inside(
        i.target,
        'server/trpc',
        'server/http',
        'server/container.ts',
        'app',
        'ui',
        'client',
        'cli',
        'standins',
      )
    expect(
      offending(
        ['server/data', 'server/s3', 'server/apns', 'server/fcm', 'server/jobs', 'server/gateway'],
        rule,
      ),
    ).toEqual([])
  })

  test('app: container, http, trpc, auth, ui, client', () => {
    const rule = (i: Import) =>
      isPackage(i.target) ||
      inside(
        i.target,
        'server/container.ts',
        'server/http',
        'server/trpc',
        'server/auth',
        'ui',
        'client',
        'app',
      )
    expect(offending(['app'], rule)).toEqual([])
  })

  test('ui: client only', () => {
    expect(offending(['ui'], (i) => isPackage(i.target) || inside(i.target, 'ui', 'client'))).toEqual([])
  })

  test("client: the domains' schemas and arithmetic and the router's type, nothing else of the server", () => {
    const rule = (i: Import) =>
      isPackage(i.target) ||
      inside(i.target, 'client') ||
      [
        'server/upload/schema.ts',
        'server/push/schema.ts',
        'server/upload/limits.ts',
        'server/upload/parts.ts',
      ].includes(i.target) ||
      (i.target === 'server/trpc/router.ts' && i.typeOnly)
    expect(offending(['client'], rule)).toEqual([])
  })

  test('standins: Node and npm packages, never the server', () => {
    expect(offending(['standins'], (i) => isPackage(i.target) || inside(i.target, 'standins'))).toEqual([])
  })

  test('nobody but the launcher and the routes reach for the container', () => {
    const users = imports.filter((i) => i.target === 'server/container.ts' && !i.typeOnly).map((i) => i.file)
    expect(users.filter((f) => !inside(f, 'app', 'instrumentation.ts'))).toEqual([])
  })
})

describe('process.env', () => {
  test('is read in server/config.ts, commands and stand-ins only', () => {
    const readers = files.filter((f) => /process\.env\b/.test(readFileSync(join(SRC, f), 'utf8')))
    // Next replaces process.env.NEXT_RUNTIME at build time, which keeps the server out of the edge bundle.
    expect(
      readers.filter((f) => !inside(f, 'server/config.ts', 'cli', 'standins', 'instrumentation.ts')),
    ).toEqual([])
  })
})

describe('files', () => {
  test('are short: none over 300 lines', () => {
    const lines = files.map((f) => [f, readFileSync(join(SRC, f), 'utf8').split('\n').length] as const)
    expect(lines.filter(([, n]) => n > 300)).toEqual([])
  })
})
