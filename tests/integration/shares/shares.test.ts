// Shared links: owners use them over tRPC, and visitors over HTTP.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createManagedUserRepo } from '../../../src/server/adapters/postgres/accounts/managed-user-repo.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { createShareRepo } from '../../../src/server/adapters/postgres/shares/share-repo.ts'
import { fileList } from '../../../src/server/adapters/postgres/uploads/file-list.ts'
import { createShareSweeper, MAX_SHARES_PER_FILE } from '../../../src/server/domain/shares/shares.ts'
import { cleanName } from '../../../src/server/domain/uploads/keys.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { startTestApp } from '../../support/app/test-app.ts'
import { png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { explainer } from '../../support/explain.ts'
import { seedFiles } from '../../support/seed-files.ts'
import type { TestUser } from '../../support/users.ts'

const PASSWORD = 'a swallow'
const SIZE = 3000
const NAME = 'Größe <b>&"1".png'
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const FAILURES = 3

let app: UploadApp
let server: { url: string; close(): void }
let db: Db
let owner: TestUser
let fileId: string

beforeAll(async () => {
  app = await startUploadApp({ SIGNIN_FAILURES_PER_15_MIN: String(FAILURES) })
  server = await startApiServer(app)
  db = createDb(app.config.databaseUrl, 3)
  owner = await app.user({ name: 'Ada <3' })
  fileId = await upload(owner)
})
afterAll(async () => {
  server?.close()
  await db?.close()
  await app?.close()
})

async function upload(user: TestUser, filename = NAME, mimeType = 'image/png') {
  const created = await app.ok(user, 'upload.requestUploadUrl', { filename, mimeType, size: SIZE })
  const bytes = mimeType === 'image/png' ? png(SIZE) : Buffer.alloc(SIZE, '%PDF-1.7 ')
  await put(created.uploadUrl, bytes, created.headers)
  await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  return created.fileId as string
}

type Share = { id: string; url: string; expiresAt: string }
const share = (user: TestUser, input: object): Promise<Share> => app.ok(user, 'shares.create', input)
const pathOf = (url: string) => new URL(url).pathname

let addresses = 0
/** Creates a new address, because wrong passwords are counted per address. */
const someone = () => ({ 'x-test-address': `10.9.0.${++addresses}` })

const visit = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(server.url + pathOf(url), { method, headers: { ...someone(), ...headers }, redirect: 'manual' })
const download = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  visit(`${url}/download`, headers, method)
const tryPassword = (url: string, password: string, headers: Record<string, string> = {}) =>
  fetch(server.url + pathOf(url), {
    method: 'POST',
    headers: { ...someone(), ...headers },
    body: new URLSearchParams({ password }),
    redirect: 'manual',
  })
/** Returns the cookie of a correct password as a browser sends it. */
const cookieOf = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!

const listed = async (user: TestUser, id: string) =>
  (await app.ok(user, 'shares.list')).items.find((item: { id: string }) => item.id === id)

describe('the owner', () => {
  test('gets a link of 256 bits for seven days and can see it again; the database has only its hash', async () => {
    const { id, url, expiresAt } = await share(owner, { fileId })
    expect(url).toMatch(/^http:\/\/app\.test\/s\/[\w-]{43}$/)
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(6.99)
    expect(days).toBeLessThanOrEqual(7)
    expect(await listed(owner, id)).toEqual({
      id,
      fileId,
      filename: expect.any(String),
      url,
      createdAt: expect.any(String),
      expiresAt,
      downloads: 0,
      hasPassword: false,
    })
    const { rows } = await app.db.query('SELECT * FROM shares WHERE id = $1', [id])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1))
    expect((await share(owner, { fileId })).url).not.toBe(url)
  })

  test('sees the links of one file or of all files; others do not', async () => {
    const user = await app.user()
    const [first, second] = [await upload(user), await upload(user)]
    const a = await share(user, { fileId: first })
    const b = await share(user, { fileId: second, password: PASSWORD, expiresInDays: 365 })
    const ids = async (input?: object) =>
      (await app.ok(user, 'shares.list', input)).items.map(({ id }: Share) => id)
    expect(await ids()).toEqual([b.id, a.id])
    expect(await ids({ fileId: first })).toEqual([a.id])
    expect(await listed(user, b.id)).toMatchObject({ hasPassword: true })
    expect((await app.ok(await app.user(), 'shares.list')).items).toEqual([])
    expect((await app.call(owner, 'shares.revoke', { id: a.id })).error?.code).toBe('NOT_FOUND')
    expect((await app.call(owner, 'shares.list', { fileId: first })).error?.code).toBe('NOT_FOUND')
  })

  test.each([{}, { sort: 'name' }])(
    'sees in files.list(%j) which files have a working link',
    async (order) => {
      const user = await app.user()
      const [plain, file] = [await upload(user, 'a.png'), await upload(user, 'b.png')]
      const marked = async () =>
        (await app.ok(user, 'files.list', order)).items.flatMap(
          ({ id, shared }: { id: string; shared: boolean }) => (shared ? [id] : []),
        )
      expect(await marked()).toEqual([])
      const [first, second] = [await share(user, { fileId: file }), await share(user, { fileId: file })]
      expect(await marked()).toEqual([file])
      await app.ok(user, 'shares.revoke', { id: first.id })
      expect(await marked()).toEqual([file])
      await app.db.query('UPDATE shares SET expires_at = now() WHERE id = $1', [second.id])
      expect(await marked()).toEqual([])
      const { id } = await share(user, { fileId: plain })
      expect(await marked()).toEqual([plain])
      await app.ok(user, 'shares.revoke', { id })
      expect(await marked()).toEqual([])
    },
  )

  test.each(['newest', 'name'] as const)(
    'lists files by %s without reading the links of others',
    async (sort) => {
      const user = await app.user()
      await seedFiles(app.config.databaseUrl, user.id, 3000)
      const client = await app.db.connect()
      try {
        await client.query('BEGIN')
        await client.query(
          `INSERT INTO shares (id, hash, file_id, user_id, expires_at)
         SELECT gen_random_uuid(), md5(id::text), id, user_id, now() + interval '1 day' FROM files WHERE user_id = $1`,
          [user.id],
        )
        await client.query('ANALYZE files, shares')
        const { planned, plans } = await explainer(client)
        const now = new Date()
        const page = { sort, after: undefined, words: [], mimeTypes: null, endedAfter: now, now, limit: 21 }
        await fileList({ sql: planned }).list(user.id, page)
        expect(plans[0]).toContain('shares_file_id_idx')
        expect(plans[0]).not.toContain('hashed')
      } finally {
        await client.query('ROLLBACK')
        client.release()
      }
    },
  )

  test('can share only their own ready files; others look like missing ones', async () => {
    const pending = await app.ok(owner, 'upload.requestUploadUrl', {
      filename: 'a.png',
      mimeType: 'image/png',
      size: SIZE,
    })
    const stranger = await app.user()
    const answers = await Promise.all([
      app.call(stranger, 'shares.create', { fileId, password: PASSWORD }),
      app.call(owner, 'shares.create', { fileId: pending.fileId }),
      app.call(owner, 'shares.create', { fileId: randomUUID() }),
      app.call(owner, 'shares.create', { fileId: 'none' }),
    ])
    expect(new Set(answers.map(({ error }) => `${error?.code} ${error?.message}`)).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } })
    expect((await app.call(null, 'shares.create', { fileId })).status).toBe(401)
  })

  test.each([
    [{ expiresInDays: 0 }, 'expiresInDays'],
    [{ expiresInDays: 366 }, 'expiresInDays'],
    [{ expiresInDays: 1.5 }, 'expiresInDays'],
    [{ password: '12345' }, 'password'],
    [{ password: '      ' }, 'password'],
    [{ password: 'x'.repeat(129) }, 'password'],
    [{ password: '\ud800secret' }, 'password'],
    [{ days: 3 }, 'days'],
  ])('%j is rejected, and the error names the field', async (input, field) => {
    const { status, error } = await app.call(owner, 'shares.create', { fileId, ...input })
    expect([status, Object.keys(error!.fieldErrors!)]).toEqual([400, [field]])
  })

  test(`can have at most ${MAX_SHARES_PER_FILE} active links per file, even with parallel calls; revoking one makes room`, async () => {
    const user = await app.user()
    const of = await upload(user)
    const create = () => app.call(user, 'shares.create', { fileId: of })
    const answers = await Promise.all(Array.from({ length: MAX_SHARES_PER_FILE + 2 }, create))
    const rejected = answers.filter(({ error }) => error)
    expect(rejected).toHaveLength(2)
    expect(rejected[0]).toMatchObject({
      status: 409,
      error: { message: expect.stringContaining('Revoke one') },
    })
    await app.ok(user, 'shares.revoke', { id: answers.find(({ data }) => data)!.data.id })
    expect((await create()).status).toBe(200)
  })

  test('can revoke repeatedly; the audit log records creation and revocation', async () => {
    const { id } = await share(owner, { fileId, password: PASSWORD })
    expect(await app.ok(owner, 'shares.revoke', { id })).toEqual({ success: true })
    expect(await app.ok(owner, 'shares.revoke', { id })).toEqual({ success: true })
    expect((await app.call(owner, 'shares.revoke', { id: 'none' })).error?.code).toBe('NOT_FOUND')
    const { rows } = await app.db.query(
      `SELECT action, actor, details FROM audit_entries WHERE subject_id = $1 ORDER BY id`,
      [id],
    )
    expect(rows).toEqual([
      {
        action: 'share.created',
        actor: `user:${owner.id}`,
        details: { fileId, expiresAt: expect.any(String), password: true },
      },
      { action: 'share.revoked', actor: `user:${owner.id}`, details: {} },
    ])
  })
})

describe('the page of a link', () => {
  test('shows sender, name, size, type and the picture without a session, and is not cached', async () => {
    const { url } = await share(owner, { fileId })
    const page = await visit(url, BROWSER)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-store')
    const html = await page.text()
    // Malicious names are shown as text.
    expect(html).toMatch(/<h1 dir="auto"[^>]*>Größe &#60;b&#62;&#38;&#34;1&#34;/)
    expect(html).not.toContain('<b>')
    expect(html).toContain('Shared by <bdi>Ada &#60;3</bdi>')
    expect(html).toContain('>Download · 2.9\u00a0KB<')
    expect(html).not.toContain('<script')
    const picture = await fetch(/<img src="([^"]+)" alt="Preview"/.exec(html)![1]!.replaceAll('&#38;', '&'))
    expect([picture.headers.get('content-type'), (await picture.bytes()).length]).toEqual(['image/png', SIZE])
    expect(picture.headers.get('content-disposition')).toMatch(/^inline;/)
    const german = await (await visit(url, { ...BROWSER, 'accept-language': 'de-AT' })).text()
    expect(german).toContain('Geteilt von <bdi>')
    expect(german).toContain('>Herunterladen · 2,9\u00a0KB<')
  })

  test('shows when the link expires, in the visitor’s time zone, or the time left if unknown', async () => {
    const { id, url } = await share(owner, { fileId })
    const at = new Date(Date.now() + 3 * 86_400_000)
    at.setUTCHours(23, 30, 0, 0)
    await app.db.query('UPDATE shares SET expires_at = $1 WHERE id = $2', [at, id])
    const works = async (cookie: string) =>
      /This link works ([^<]*)\.</.exec(
        await (await visit(url, { ...BROWSER, 'accept-language': 'en-GB', cookie })).text(),
      )?.[1]
    const inTokyo = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const
    expect(await works('a=b; pigeonhole-time-zone=Asia/Tokyo')).toBe(
      `until ${new Intl.DateTimeFormat('en-GB', inTokyo).format(at)}`,
    )
    const expireIn = (interval: string) =>
      app.db.query(`UPDATE shares SET expires_at = now() + $1::interval WHERE id = $2`, [interval, id])
    for (const [interval, text] of [
      ['6 days 23:59:30', 'for 7 more days'],
      ['2 days 12:00:00', 'for 2 more days'],
      ['47:20:00', 'for 47 more hours'],
      ['01:30:00', 'for 1 more hour'],
      ['00:20:30', 'for 20 more minutes'],
    ] as const) {
      await expireIn(interval)
      expect(await works('')).toBe(text)
    }
    expect(await works('pigeonhole-time-zone="<b>"')).toBe('for 20 more minutes')
  })

  test('has no preview of documents or of pictures above 10 MB', async () => {
    const pdf = await upload(owner, 'report.pdf', 'application/pdf')
    const { url } = await share(owner, { fileId: pdf })
    expect(await (await visit(url, BROWSER)).text()).not.toContain('alt="Preview"')
    const user = await app.user()
    const { url: large } = await share(user, { fileId: await upload(user) })
    expect(await (await visit(large, BROWSER)).text()).toContain('alt="Preview"')
    await app.db.query(`UPDATE files SET size_bytes = 10485761, used_bytes = 10485761 WHERE user_id = $1`, [
      user.id,
    ])
    expect(await (await visit(large, BROWSER)).text()).not.toContain('alt="Preview"')
  })
})

describe('a download', () => {
  test('redirects to a presigned GET as attachment, and is counted, even if 20 start at once', async () => {
    const { id, url } = await share(owner, { fileId })
    const answers = await Promise.all(Array.from({ length: 20 }, () => download(url)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(302))
    const location = answers[0]!.headers.get('location')!
    const got = await fetch(location)
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(Buffer.from(await got.arrayBuffer()).equals(png(SIZE))).toBe(true)
    expect((await listed(owner, id)).downloads).toBe(20)
    // docs/security.md warns of what visitors learn.
    await app.ok(owner, 'files.rename', { fileId, filename: 'renamed.png' })
    const renamed = (await download(url)).headers.get('location')!
    await app.ok(owner, 'files.rename', { fileId, filename: NAME })
    for (const part of [owner.id, fileId, cleanName(NAME)]) expect(renamed).toContain(part)
  })

  test('HEAD, prefetching and link scanners get a response but are not counted, and neither is the page', async () => {
    const { id, url } = await share(owner, { fileId })
    const head = await download(url, {}, 'HEAD')
    expect(head.status).toBe(302)
    const probed = await fetch(head.headers.get('location')!, { method: 'HEAD' })
    expect([probed.status, probed.headers.get('content-length')]).toEqual([200, String(SIZE)])
    expect((await visit(url, BROWSER, 'HEAD')).status).toBe(200)
    await visit(url, BROWSER)
    const scanners: Record<string, string>[] = [
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
      { 'user-agent': 'WhatsApp/2.23.20.0' },
      { 'user-agent': 'facebookexternalhit/1.1' },
      { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' },
      { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5' },
    ]
    for (const scanner of scanners)
      expect([scanner, (await download(url, scanner)).status]).toEqual([scanner, 302])
    expect((await listed(owner, id)).downloads).toBe(0)
    await download(url, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
    })
    await download(url, { 'user-agent': 'curl/8.14.1' })
    expect((await listed(owner, id)).downloads).toBe(2)
  })
})

describe('an inactive link', () => {
  /** Ways in which a link of a user who shares one file ends. */
  const ENDS: [string, (user: TestUser, share: Share, fileId: string) => Promise<unknown>][] = [
    ['revoked', (user, { id }) => app.ok(user, 'shares.revoke', { id })],
    ['expired', (_, { id }) => app.db.query('UPDATE shares SET expires_at = now() WHERE id = $1', [id])],
    ['without its file', (user, _, of) => app.ok(user, 'files.delete', { fileId: of })],
    [
      'of a disabled owner',
      (user) =>
        createManagedUserRepo(db).update(
          user.id,
          { disabled: true },
          { actor: 'admin', userId: null, address: null, at: new Date() },
        ),
    ],
    ['of a deleted owner', (user) => app.services.accountDeletion.deleteAccount(user.id, 'test')],
  ]

  test.each(ENDS)('%s: shows a page without the reason, and returns JSON to programs', async (_, end) => {
    const user = await app.user()
    const of = await upload(user)
    const ended = await share(user, { fileId: of })
    const unlocked = await share(user, { fileId: of, password: PASSWORD })
    const cookie = cookieOf(await tryPassword(unlocked.url, PASSWORD))
    expect((await download(ended.url)).status).toBe(302)
    await end(user, ended, of)
    const unknown = `http://app.test/s/${'x'.repeat(43)}`
    const expected = await (await visit(unknown, BROWSER)).text()
    expect(expected).toContain('This link does not work')
    for (const answer of [
      await visit(ended.url, BROWSER),
      await download(ended.url, BROWSER),
      await tryPassword(ended.url, PASSWORD, BROWSER),
    ]) {
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
      expect(await answer.text()).toBe(expected)
    }
    for (const answer of [await visit(ended.url), await download(ended.url)]) {
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
    }
    if (end !== ENDS[0]![1] && end !== ENDS[1]![1])
      expect((await visit(unlocked.url, { ...BROWSER, cookie })).status).toBe(404)
    const { rows } = await app.db.query('SELECT downloads FROM shares WHERE id = $1', [ended.id])
    expect(rows[0]?.downloads ?? 1).toBe(1)
  })

  test.each(['x', 'x'.repeat(44), `${'x'.repeat(42)}%00`, '..%2f..%2ffiles'])(
    '%s is not a link',
    async (token) => {
      expect((await visit(`http://app.test/s/${token}`, BROWSER)).status).toBe(404)
    },
  )

  test('works again when its owner is enabled again', async () => {
    const user = await app.user()
    const { url } = await share(user, { fileId: await upload(user) })
    const by = { actor: 'admin', userId: null, address: null, at: new Date() }
    await createManagedUserRepo(db).update(user.id, { disabled: true }, by)
    expect((await visit(url)).status).toBe(404)
    await createManagedUserRepo(db).update(user.id, { disabled: false }, by)
    expect((await visit(url)).status).toBe(200)
  })

  test('ends when another user verifies the account’s email', async () => {
    const squatter = await app.user()
    const { url } = await share(squatter, { fileId: await upload(squatter) })
    await app.services.auth.resolveIdentity(
      {
        provider: 'oidc:test',
        providerAccountId: randomUUID(),
        email: squatter.email,
        emailVerified: true,
        name: null,
      },
      'test',
    )
    expect((await visit(url)).status).toBe(404)
    const { rows } = await app.db.query('SELECT count(*)::int AS n FROM shares WHERE user_id = $1', [
      squatter.id,
    ])
    expect(rows[0].n).toBe(0)
  })

  test('cannot be created by a call that was authenticated before all access ended', async () => {
    const user = await app.user()
    const of = await upload(user)
    await app.db.query('UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1', [user.id])
    const late = app.services.shares.create(
      { id: user.id, epoch: 0 },
      { fileId: of, expiresInDays: 1 },
      'test',
    )
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('is deleted 30 days after its end', async () => {
    const [revoked, expired, living] = await Promise.all([1, 2, 3].map(() => share(owner, { fileId })))
    await app.db.query(`UPDATE shares SET revoked_at = now() WHERE id = $1`, [revoked!.id])
    await app.db.query(`UPDATE shares SET expires_at = now() WHERE id = $1`, [expired!.id])
    const left = async (days: number) => {
      const clock = { now: () => new Date(Date.now() + days * 86_400_000) }
      await createShareSweeper({ repo: createShareRepo(db), clock, log: { warn: () => {} } }).run()
      const ids = [revoked!.id, expired!.id, living!.id]
      const { rows } = await app.db.query('SELECT id FROM shares WHERE id = ANY($1) ORDER BY id', [ids])
      return rows.length
    }
    expect(await left(29.9)).toBe(3)
    expect(await left(30.1)).toBe(1)
  })
})

describe('a link with a password', () => {
  test('reveals nothing about the file before the correct password, which sets a cookie for this link only', async () => {
    const { id, url } = await share(owner, { fileId, password: PASSWORD })
    const { rows } = await app.db.query('SELECT password_hash FROM shares WHERE id = $1', [id])
    expect(rows).toEqual([{ password_hash: expect.stringMatching(/^\$scrypt\$/) }])
    const { url: other } = await share(owner, { fileId, password: PASSWORD })
    const form = await (await visit(url, BROWSER)).text()
    expect(form).toContain('<form method="post"')
    expect(form).not.toMatch(/Größe|PNG|X-Amz/)

    const wrong = await tryPassword(url, 'an albatross', BROWSER)
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([403, null])
    expect(await wrong.text()).toMatch(/role="alert"[^>]*><svg.*?<\/svg>Wrong password/)
    expect((await tryPassword(url, 'an albatross')).headers.get('content-type')).toMatch(/json/)

    const correct = await tryPassword(url, PASSWORD, BROWSER)
    expect([correct.status, correct.headers.get('location')]).toEqual([303, url])
    const attributes = correct.headers.get('set-cookie')!.split('; ').slice(1)
    expect(attributes).toEqual([`Path=${pathOf(url)}`, 'Max-Age=43200', 'HttpOnly', 'SameSite=Lax'])
    const cookie = cookieOf(correct)
    expect(await (await visit(url, { ...BROWSER, cookie })).text()).toContain('Größe')
    expect((await download(url, { cookie })).status).toBe(302)
    expect((await listed(owner, id)).downloads).toBe(1)

    const forms = await (await visit(other, { ...BROWSER, cookie })).text()
    expect(forms).toContain('<form method="post"')
    expect((await download(url)).status).toBe(403)
    const sent = await download(url, BROWSER)
    expect([sent.status, sent.headers.get('location')]).toEqual([302, url])
    for (const bad of ['x', '9999999999.x', cookie.split('=')[1]!.replace(/^\d+/, '9999999999')])
      expect((await download(url, { cookie: `pigeonhole-share=${bad}` })).status).toBe(403)
    expect((await listed(owner, id)).downloads).toBe(1)
  })

  test('requires it again after twelve hours', async () => {
    const { url } = await share(owner, { fileId, password: PASSWORD })
    const cookie = cookieOf(await tryPassword(url, PASSWORD))
    const { visits } = app.services.shares
    const token = url.split('/').at(-1)!
    expect((await visits.visit(token, cookie.split('=')[1])).state).toBe('open')
    const [, seconds] = /=(\d+)\./.exec(cookie)!
    const left = Number(seconds) - Date.now() / 1000
    expect(left).toBeGreaterThan(12 * 3600 - 60)
    expect(left).toBeLessThanOrEqual(12 * 3600)
  })

  test('guesses are limited by address, even for the correct password; no address locks out the others', async () => {
    const { url } = await share(owner, { fileId, password: PASSWORD })
    const from = { ...BROWSER, ...someone() }
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tryPassword(url, `guess number ${i}`, from)),
    )
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(FAILURES)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10 - FAILURES)
    const rejected = await tryPassword(url, PASSWORD, from)
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(800)
    expect(await rejected.text()).toContain('Too many wrong passwords')
    // A visitor whose address is new.
    expect((await tryPassword(url, PASSWORD)).status).toBe(303)
    const { url: another } = await share(owner, { fileId, password: PASSWORD })
    expect((await tryPassword(another, PASSWORD, from)).status).toBe(303)
  })

  test('guesses from many addresses are limited by link, except for addresses that have unlocked it', async () => {
    const { url } = await share(owner, { fileId, password: PASSWORD })
    const visitor = someone()
    expect((await tryPassword(url, PASSWORD, visitor)).status).toBe(303)
    const guesses = await Promise.all(
      Array.from({ length: 10 * FAILURES + 5 }, (_, i) => tryPassword(url, `guess number ${i}`)),
    )
    const statuses = guesses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(10 * FAILURES)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    expect((await tryPassword(url, PASSWORD)).status).toBe(429)
    expect((await tryPassword(url, PASSWORD, visitor)).status).toBe(303)
    for (let i = 0; i < FAILURES; i++) expect((await tryPassword(url, 'wrong', visitor)).status).toBe(403)
    expect((await tryPassword(url, PASSWORD, visitor)).status).toBe(429)
    const { url: another } = await share(owner, { fileId, password: PASSWORD })
    expect((await tryPassword(another, PASSWORD)).status).toBe(303)
  })

  test('wrong passwords are in the audit log with link, owner and address, but without the password', async () => {
    const { id, url } = await share(owner, { fileId, password: PASSWORD })
    const from = someone()
    for (let i = 0; i < FAILURES + 2; i++) await tryPassword(url, 'a wrong guess', from)
    await tryPassword(url, PASSWORD)
    const { rows } = await app.db.query(
      `SELECT action, actor, user_id, address, details FROM audit_entries
       WHERE subject_id = $1 AND action <> 'share.created'`,
      [id],
    )
    const address = from['x-test-address']
    const rejected = { action: 'share.refused', actor: null, user_id: owner.id, address, details: {} }
    expect(rows).toEqual(Array(FAILURES).fill(rejected))
  })

  test('guesses are limited per address over all links, separately from sign-ins', async () => {
    const from = someone()
    const statuses: number[] = []
    const user = await app.user()
    const of = await upload(user)
    for (let link = 0; link < 10; link++) {
      const { url } = await share(user, { fileId: of, password: PASSWORD })
      for (let i = 0; i < FAILURES; i++) statuses.push((await tryPassword(url, `wrong ${i}`, from)).status)
    }
    expect(statuses).toEqual(Array(10 * FAILURES).fill(403))
    const { url } = await share(owner, { fileId, password: PASSWORD })
    expect((await tryPassword(url, PASSWORD, from)).status).toBe(429)
    const { rows } = await app.db.query(
      `SELECT key FROM rate_limits WHERE key LIKE 'auth:signin:address:10.9.%'`,
    )
    expect(rows).toEqual([])
  })

  test('forms of other sites and invalid bodies are rejected and do not count as guesses', async () => {
    const { url } = await share(owner, { fileId, password: PASSWORD })
    const from = someone()
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ]) {
      const foreign = await tryPassword(url, PASSWORD, { ...from, ...headers } as Record<string, string>)
      expect([headers, foreign.status]).toEqual([headers, 403])
    }
    const json = await fetch(server.url + pathOf(url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: PASSWORD }),
    })
    expect(json.status).toBe(400)
    // Browsers send this value from our own page, because its Referrer-Policy is no-referrer.
    const own = { ...BROWSER, origin: 'null', 'sec-fetch-site': 'same-origin' }
    expect((await tryPassword(url, PASSWORD, { ...from, ...own })).status).toBe(303)
    for (const origin of ['null', 'http://app.test'])
      expect((await tryPassword(url, PASSWORD, { ...from, origin })).status).toBe(303)
    const { rows } = await app.db.query('SELECT points FROM rate_limits WHERE points > 0 AND key LIKE $1', [
      `auth:share:address:${from['x-test-address']}`,
    ])
    expect(rows).toEqual([])
  })
})

test('NEXTAUTH_SECRET_PREVIOUS: links are shown and stay unlocked; after the rotation, links still work', async () => {
  const { id, url } = await share(owner, { fileId, password: PASSWORD })
  const cookie = cookieOf(await tryPassword(url, PASSWORD)).split('=')[1]!
  const token = url.split('/').at(-1)!
  const rotated = { ...app.env, NEXTAUTH_SECRET: 'another-secret-that-is-long-enough-for-tests' }
  const previous = { NEXTAUTH_SECRET_PREVIOUS: app.env.NEXTAUTH_SECRET! }
  const during = await startTestApp({ ...rotated, ...previous }, app.config.databaseUrl)
  const after = await startTestApp(rotated, app.config.databaseUrl)
  try {
    const shown = async ({ services }: typeof after) =>
      (await services.shares.list(owner.id)).items.find((item) => item.id === id)?.url
    expect(await shown(during)).toBe(url)
    expect((await during.services.shares.visits.visit(token, cookie)).state).toBe('open')
    expect(await shown(after)).toBe(null)
    expect((await after.services.shares.visits.visit(token, cookie)).state).toBe('locked')
    const fresh = await after.services.shares.visits.unlock(token, PASSWORD, '10.8.0.1')
    expect((await after.services.shares.visits.visit(token, fresh!)).state).toBe('open')
  } finally {
    await Promise.all([during.close(), after.close()])
  }
})
