// The texts of the pages are only in src/ui/i18n/messages, with one file per language.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import compile from 'icu-minify/compile'
import { createElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import type { AuditAction } from '../../src/server/kernel/audit.ts'
import { translateDetails } from '../../src/ui/admin/health/translate-details.ts'
import { chooseLocale } from '../../src/ui/i18n/choose-locale.ts'
import { compiledMessages, flatten } from '../../src/ui/i18n/compile-messages.ts'
import { createFormats } from '../../src/ui/i18n/formats.ts'
import type { Locale } from '../../src/ui/i18n/locales.ts'
import type { MessageKey } from '../../src/ui/i18n/message-types.ts'
import { AUDIT_ACTION_NAMES } from '../../src/ui/i18n/messages/audit-actions.ts'
import { de } from '../../src/ui/i18n/messages/de.ts'
import { en } from '../../src/ui/i18n/messages/en.ts'
import { FINDING_DETAILS, FINDING_TEXTS } from '../../src/ui/i18n/messages/findings.ts'
import { createTranslator } from '../../src/ui/i18n/translator.ts'
import { uploadStatusText } from '../../src/ui/uploads/upload-status-text.ts'
import { literalWords } from './support/literal-words.ts'
import { stringTemplates } from './support/string-templates.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Names and examples, which are the same in every language. */
const NAMES = new Set([
  'Pigeonhole',
  'GitHub',
  'Google',
  'iOS',
  'Android',
  'English',
  'Deutsch',
  'ph_…',
  'general',
  'default',
  'de',
  'news.sport',
  'orderId=42',
  '{"aps":{"target-content-id":"inbox"}}',
  '{"direct_boot_ok":true}',
  'https://example.com/orders/42',
  'https://example.com/picture.jpg',
])

function pageFiles(): string[] {
  return ['src/ui', 'src/app'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/i18n/messages/')),
  )
}

/** Returns the names of the values and tags that a compiled message needs. */
function argumentsOf(message: unknown): string[] {
  const names = new Set<string>()
  // A message is a text or a list of nodes.
  function visitMessage(nodes: unknown): void {
    if (Array.isArray(nodes)) nodes.forEach(visitNode)
  }
  // A node is a text, [name], [name, type, options] with a message per option, or [tag, child node, ...].
  function visitNode(node: unknown): void {
    if (!Array.isArray(node)) return
    const [name, ...rest] = node
    if (typeof name === 'string') names.add(name)
    for (const part of rest) {
      if (Array.isArray(part)) visitNode(part)
      else if (part && typeof part === 'object') Object.values(part).forEach(visitMessage)
    }
  }
  visitMessage(message)
  return [...names].sort()
}

describe('the texts of the pages', () => {
  test('no component contains its own texts', () => {
    const files = pageFiles()
    expect(files.length).toBeGreaterThan(60)
    const found = files.flatMap((path) =>
      literalWords(path, readFileSync(path, 'utf8'))
        .filter((text) => !NAMES.has(text))
        .map((text) => `${path.slice(ROOT.length + 1)}: ${text}`),
    )
    expect(found).toEqual([])
  })

  test('the reader of components finds texts, attributes and sentences', () => {
    const code = `
      const a = <p title="Your files" className="text ink">Hello <b>{name}</b></p>
      const b = done ? 'Try again' : \`\${count} files\`
      throw new Error('Not for users')`
    expect(literalWords('a.tsx', code)).toEqual(['Your files', 'Hello', 'Try again', 'files'])
  })

  test('every translation needs the same values and tags as the English text', () => {
    const german = new Map(flatten(de))
    for (const [key, text] of flatten(en))
      expect([key, argumentsOf(compile(german.get(key)!))]).toEqual([key, argumentsOf(compile(text))])
  })

  test.each([
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de', 'de-AT'],
    [undefined, 'fr-FR,fr;q=0.9,de;q=0.3,en-GB;q=0.7', 'en', 'en-GB'],
    ['de', 'en-US,en;q=0.9', 'de', 'de'],
    ['en', 'de-CH', 'en', 'en'],
    ['xx', '', 'en', 'en'],
    [undefined, 'not a tag!;q=1, *;q=0.5', 'en', 'en'],
    [undefined, null, 'en', 'en'],
  ])('cookie %j and Accept-Language %j: %s, formats of %s', (cookie, header, locale, formatLocale) => {
    expect(chooseLocale(cookie, header)).toEqual({ locale, formatLocale })
  })

  test.each([
    ['en-GB', 1, '1 byte'],
    ['en-GB', 17, '17 bytes'],
    ['en-GB', 1536, '1.5 KB'],
    ['de-AT', 1536, '1,5 KB'],
    ['de', 1, '1 Byte'],
    ['de', 5 * 1024 ** 3, '5 GB'],
    ['de', 512.4 * 1024 ** 2, '512 MB'],
    ['en', 1024 ** 2 - 1, '1 MB'],
    ['en', 1010 * 1024 ** 2, '1,010 MB'],
  ])('sizes in %s: %d bytes are %s', (formatLocale, bytes, text) => {
    const locale = formatLocale.startsWith('de') ? 'de' : 'en'
    const t = createTranslator(formatLocale, compiledMessages(locale))
    // A line never breaks between a number and its unit.
    expect(createFormats(formatLocale, t).bytes(bytes)).toBe(text.replace(' ', '\u00a0'))
  })

  test('a part of a size has the unit of the whole once there is one of it, so that a growing number keeps it', () => {
    const { bytes } = createFormats('en', createTranslator('en', compiledMessages('en')))
    const MB = 1024 ** 2
    expect([0, 700 * 1024, 1.5 * MB, 20 * MB].map((sent) => bytes(sent, 64 * MB))).toEqual(
      ['0 MB', '700 KB', '1.5 MB', '20 MB'].map((text) => text.replace(' ', '\u00a0')),
    )
  })

  test('an interrupted upload of which nothing is stored shows only its size', () => {
    const t = createTranslator('en', compiledMessages('en'))
    const upload = {
      state: 'paused',
      size: 31 * 1024 ** 2,
      bytesSent: 0,
      secondsLeft: null,
      file: null,
    } as const
    const text = (pauseReason: 'user' | 'signed-out') =>
      uploadStatusText({ ...upload, pauseReason }, t, createFormats('en', t)).replaceAll('\u00a0', ' ')
    expect([text('user'), text('signed-out')]).toEqual(['Paused · 31 MB', 'Signed out · 31 MB'])
  })

  test('an upload that waits offline says how much of it is kept, or only its size if nothing is', () => {
    const t = createTranslator('en', compiledMessages('en'))
    const MB = 1024 ** 2
    const text = (bytesSent: number) =>
      uploadStatusText(
        {
          state: 'paused',
          size: 64 * MB,
          bytesSent,
          secondsLeft: null,
          pauseReason: 'offline',
          file: null,
        },
        t,
        createFormats('en', t),
      )
    expect([0, 5 * MB].map((sent) => text(sent).replaceAll('\u00a0', ' '))).toEqual([
      'Waiting · 64 MB',
      'Waiting · 5 MB of 64 MB kept',
    ])
  })

  test.each([
    [0.2, '5 sec', '5 Sek.'],
    [41, '45 sec', '45 Sek.'],
    [59.5, '60 sec', '60 Sek.'],
    [61, '70 sec', '70 Sek.'],
    [110, '110 sec', '110 Sek.'],
    [111, '2 min', '2 Min.'],
    [3600, '1 hr', '1 Std.'],
    [3601, '1 hr 1 min', '1 Std. 1 Min.'],
    [2 * 3600, '2 hr', '2 Std.'],
  ])('%s seconds left are a time that no one reads as a clock: %s', (seconds, english, german) => {
    const duration = (locale: Locale) => createFormats(locale, createTranslator(locale, {})).duration(seconds)
    expect([duration('en'), duration('de')].map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
      english,
      german,
    ])
  })

  test('plural forms and numbers follow the language', () => {
    const english = createTranslator('en-GB', compiledMessages('en'))
    const german = createTranslator('de', compiledMessages('de'))
    expect(english('files.found', { count: 1 })).toBe('1 file found')
    expect(english('files.found', { count: 1234 })).toBe('1,234 files found')
    expect(german('files.found', { count: 1234 })).toBe('1.234 Dateien gefunden')
  })

  test.each(['en', 'de'] as const)('no text with tags (%s) makes React ask for keys', (locale) => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const t = createTranslator(locale, compiledMessages(locale))
    const tagged = flatten(locale === 'en' ? en : de).filter(([, text]) => /<\w+>/.test(text))
    expect(tagged.length).toBeGreaterThan(10)
    for (const [key, text] of tagged) {
      const tags = [...text.matchAll(/<(\w+)>/g)].map(([, tag]) => [
        tag,
        (parts: ReactNode) => createElement('b', null, parts),
      ])
      const names = [...text.matchAll(/\{(\w+)/g)].map(([, name]) => [name, 1])
      const values = Object.fromEntries([...names, ...tags])
      const node = t.rich(key as MessageKey, values as never)
      renderToStaticMarkup(createElement('p', null, node))
    }
    expect(errors.mock.calls).toEqual([])
    errors.mockRestore()
  })
})

function doctorSource(): string {
  const folder = join(ROOT, 'src/server/doctor')
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join()
}

test('every check of doctor has a name and advice in every language', () => {
  const source = doctorSource()
  // Checks are reported directly, attempted, or the keys of a table.
  const named = source.matchAll(/(?:\breport\(\s*|\battempt\(report, )'([a-z-]+)'|'([a-z-]+-clock)':/g)
  const checks = new Set([...named].map(([, direct, key]) => direct ?? key!))
  for (const environment of ['production', 'sandbox']) checks.add(`apns-${environment}`)
  expect(checks.size).toBeGreaterThan(40)
  for (const texts of Object.values(FINDING_TEXTS)) {
    expect(Object.keys(texts).sort()).toEqual([...checks].sort())
    expect(Object.entries(texts).filter(([, { name, advice }]) => !name || !advice)).toEqual([])
  }
})

/** Literals of doctor's code that no finding contains. */
const NO_TEXTS = [
  /^(sent by a page|a part of an upload|another part, sent |body of a presigned PUT|1 hour)$/,
  /^(an object that (the holder|doctor reads).*|\{\} and more|attachment; .*|npm run doctor)$/,
  /^(Pigeonhole doctor|This push goes to a device that cannot exist\.)$/,
  /\bSELECT\b/,
  // Names, which are the same in every language.
  /^(PostgreSQL \{\}|HTTP \{\}( \{\}\{\})?)$/,
]

/** Returns the texts in the code of doctor and of what it calls, with `{}` for each value. */
function detailTemplates(): string[] {
  const config = readFileSync(join(ROOT, 'src/server/config/config.ts'), 'utf8')
  const warnings = [...config.matchAll(/^function (?:schemaWarnings|warnings)\([\s\S]*?^\}/gm)].map(
    ([code]) => code,
  )
  expect(warnings).toHaveLength(2)
  const adapters = ['s3/describe-error.ts', 'postgres/errors.ts'].map((file) =>
    readFileSync(join(ROOT, 'src/server/adapters', file), 'utf8'),
  )
  const folder = join(ROOT, 'src/server/doctor')
  const doctor = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const found = [...doctor, ...adapters, ...warnings].flatMap((code) => stringTemplates(code))
  return [...new Set(found)].filter(
    (text) => / /.test(text) && /\p{L}{2}/u.test(text) && !NO_TEXTS.some((pattern) => pattern.test(text)),
  )
}

test('every text that a finding of doctor can contain has a German translation', () => {
  const templates = detailTemplates()
  expect(templates.length).toBeGreaterThan(120)
  const known = Object.keys(FINDING_DETAILS.de)
  expect(templates.filter((template) => !known.includes(template))).toEqual([])
  const all = Object.values(FINDING_DETAILS).flatMap((details) => Object.keys(details))
  expect(all.filter((template) => !templates.includes(template))).toEqual([])
})

test('details are translated with their values, and unknown ones are not', () => {
  const translate = (message: string) => translateDetails(FINDING_DETAILS.de, message)
  expect(translate('max_connections is 100')).toBe('max_connections ist 100')
  expect(translate('part 1024 is accepted')).toBe('Teil 1024 wird angenommen')
  expect(translate('rejects an unsigned x-amz-meta-* (403)')).toBe(
    'Lehnt ein nicht signiertes x-amz-meta-* ab (403)',
  )
  expect(translate('getaddrinfo ENOTFOUND store')).toBeUndefined()
  expect(translate('connect ECONNREFUSED 127.0.0.1:9: check S3_ENDPOINT')).toBe(
    'connect ECONNREFUSED 127.0.0.1:9: Prüfen Sie S3_ENDPOINT',
  )
  expect(translate('10.0.0.1 is the primary, 10.0.0.2 is a standby')).toBe(
    '10.0.0.1 ist der primäre Server, 10.0.0.2 ist ein Standby',
  )
  expect(
    translate(
      'responds with TIMEOUT: check projectId and credentialsFile of app "shop" in PUSH_APPS_FILE, and that this machine can reach the gateway',
    ),
  ).toBe(
    'Antwortet mit TIMEOUT. Prüfen Sie projectId und credentialsFile von app "shop" in PUSH_APPS_FILE sowie die Verbindung dieses Servers zum Gateway',
  )
  expect(
    translate(
      'max_connections is 20: raise it, because one replica and its successor can open 80 during an update',
    ),
  ).not.toMatch(/raise/)
  expect(translate('its clock is 30 s behind this machine: set up NTP on both')).toBe(
    'Die Uhr geht gegenüber diesem Server 30 s nach',
  )
})

test('the health page names failing webhooks without calls of the API', () => {
  const message =
    'a.example (x-1) fails, a.example (x-2) returned 410: see GET /api/admin/webhooks, and the deliveries of each for the cause'
  expect(translateDetails(FINDING_DETAILS.en, message)).toBe(
    'a.example (x-1) fails, a.example (x-2) returned 410',
  )
  expect(translateDetails(FINDING_DETAILS.de, message)).toBe(
    'a.example (x-1) ist gestört, a.example (x-2) hat mit 410 geantwortet',
  )
})

test('every action of the audit log has a name in every language', () => {
  const names: Record<Locale, Record<AuditAction, string>> = AUDIT_ACTION_NAMES
  expect(Object.keys(names.de).sort()).toEqual(Object.keys(names.en).sort())
})
