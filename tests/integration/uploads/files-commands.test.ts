import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyCommand,
  PutBucketCorsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Client } from '../../../src/server/adapters/s3/client.ts'
import { BUCKET, drift, png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { commandHere } from '../../support/process/command-here.ts'

const CLI = fileURLToPath(new URL('../../../src/cli', import.meta.url))

describe('operator commands', () => {
  let app: UploadApp
  beforeAll(async () => {
    app = await startUploadApp({ CORS_ORIGINS: 'https://other.example.com' })
  })
  afterAll(() => app?.close())

  const run = (command: string, ...args: string[]) => commandHere(command, args, app.env)

  /** Runs a command in a separate process. */
  async function runProcess(command: string, ...args: string[]) {
    const child = spawn(process.execPath, [`${CLI}/${command}.ts`, ...args], {
      env: childEnv({ NODE_ENV: 'test', ...app.env }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    const [code] = await once(child, 'close')
    return { code: code as number, out, err }
  }

  async function ready() {
    const user = await app.user()
    const created = await app.ok(user, 'upload.requestUploadUrl', {
      filename: 'a.png',
      mimeType: 'image/png',
      size: 3000,
    })
    await put(created.uploadUrl, png(3000), created.headers)
    await app.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
    return { user, ...created }
  }

  test('quota:check reports drift with its size, and --repair removes it', async () => {
    const { user } = await ready()
    await app.user()
    expect(await run('quota-check')).toMatchObject({ code: 0, out: expect.stringContaining('2 users') })
    await app.db.query('UPDATE users SET used_bytes = used_bytes + 5, reserved_bytes = 7 WHERE id = $1', [
      user.id,
    ])
    const found = await run('quota-check')
    expect(found.code).toBe(1)
    expect(found.out).toContain(
      `${user.id} ${user.email}: used 3005 (sum over files: 3000), reserved 7 (sum over files: 0)`,
    )
    expect(found.out).toContain('1 of 2 users')
    expect(await run('quota-check', '--repair')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 of 2 users repaired'),
    })
    expect(await drift(app.db)).toEqual([])
    expect((await run('quota-check')).code).toBe(0)
  })

  test('quota:check --repair causes no drift while uploads are running', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => app.user()))
    await app.db.query('UPDATE users SET reserved_bytes = reserved_bytes + 1000 WHERE id = ANY($1)', [
      users.map((user) => user.id),
    ])
    let stop = false
    const busy = users.map(async (user) => {
      while (!stop)
        await app.ok(user, 'upload.requestUploadUrl', { filename: 'a.png', mimeType: 'image/png', size: 10 })
    })
    const repaired = await runProcess('quota-check', '--repair')
    stop = true
    await Promise.all(busy)
    expect(repaired.code).toBe(0)
    expect(await drift(app.db)).toEqual([])
  })

  test('bucket:setup --public-read lets anyone read public/ and nothing else, and keeps the policy against copies', async () => {
    const client = createS3Client(app.config.s3)
    const read = async (prefix: string) => {
      const Key = `${prefix}nobody/a.png`
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'xyz' }))
      const { status } = await fetch(`${app.s3.url}/${BUCKET}/${Key}`)
      await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }))
      return status
    }
    expect(await run('bucket-setup')).toMatchObject({ code: 0, err: '' })
    expect(await read('public/')).toBe(403)
    expect(await run('bucket-setup', '--public-read')).toMatchObject({ code: 0, err: '' })
    expect(await run('bucket-setup')).toMatchObject({ code: 0, err: '' })
    expect([await read('public/'), await read('files/'), await read('staging/')]).toEqual([200, 403, 403])
    const { Policy } = await client.send(new GetBucketPolicyCommand({ Bucket: BUCKET }))
    const { Statement } = JSON.parse(Policy!) as { Statement: { Sid: string }[] }
    expect(Statement.map(({ Sid }) => Sid).sort()).toEqual([
      'PigeonholeNoCopyThroughPresignedUrls',
      'PigeonholeNoCopyToStaging',
      'PigeonholePublicRead',
    ])
    client.destroy()
  })

  test('objects:orphans reports only objects without a row, and removes them only with --delete', async () => {
    const { key } = await ready()
    const client = createS3Client(app.config.s3)
    const orphans = Array.from(
      { length: 25 },
      (_, i) => `${i % 2 ? 'public' : 'files'}/nobody/${String(i).padStart(4, '0')}/a.png`,
    )
    for (const Key of orphans) await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'xyz' }))
    client.destroy()
    // Enough objects for three pages.
    app.s3.faults.setQuirks({ listingPage: 10 })
    const count = () => app.s3.requestLog.objects('').filter(({ key }) => key.includes('/nobody/')).length
    // Recent objects may have rows that this database does not have yet.
    const objects = ['files/', 'public/'].flatMap((prefix) => app.s3.requestLog.objects(prefix)).length
    expect((await runProcess('orphans')).out).toContain(
      `0 without a row (0 bytes), 0 removed, ${objects} skipped because they are younger than`,
    )
    const dry = await run('orphans', '--min-age-hours', '0')
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringContaining('25 without a row (75 bytes), 0 removed'),
    })
    expect(dry.out).toContain(orphans[17])
    expect(count()).toBe(25)
    const real = await run('orphans', '--min-age-hours', '0', '--delete')
    expect(real.out).toContain('25 removed')
    expect(count()).toBe(0)
    app.s3.faults.reset()
    expect(app.s3.requestLog.objects(key)).toHaveLength(1)
  })

  test('bucket:setup sets CORS and lifecycle rules, can be repeated, and keeps other rules', async () => {
    const client = createS3Client(app.config.s3)
    const foreign = { ID: 'theirs', AllowedMethods: ['GET'], AllowedOrigins: ['https://theirs.example.com'] }
    await client.send(
      new PutBucketCorsCommand({ Bucket: BUCKET, CORSConfiguration: { CORSRules: [foreign] } }),
    )
    for (const setUp of [runProcess, run])
      expect(await setUp('bucket-setup')).toMatchObject({ code: 0, err: '' })
    const { CORSRules } = await client.send(new GetBucketCorsCommand({ Bucket: BUCKET }))
    expect(CORSRules).toHaveLength(2)
    expect(CORSRules?.[0]).toMatchObject(foreign)
    expect(CORSRules?.[1]).toMatchObject({
      AllowedOrigins: ['http://app.test', 'https://other.example.com'],
      AllowedMethods: ['PUT', 'GET', 'HEAD'],
      ExposeHeaders: ['ETag'],
    })
    const { Rules } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: BUCKET }))
    expect(Rules).toMatchObject([
      { Filter: { Prefix: 'staging/' }, Expiration: { Days: 2 } },
      { Filter: { Prefix: 'files/' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 8 } },
      { Filter: { Prefix: 'public/' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 8 } },
    ])
    client.destroy()
    // A browser's preflight now passes.
    const { uploadUrl } = await app.ok(await app.user(), 'upload.requestUploadUrl', {
      filename: 'a.png',
      mimeType: 'image/png',
      size: 10,
    })
    const preflight = await fetch(uploadUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://app.test',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.status).toBe(200)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://app.test')
  })

  test('bucket:setup creates a missing bucket only if asked to', async () => {
    const kept = app.env
    app.env = { ...kept, S3_BUCKET: 'not-made-yet' }
    const rejected = await run('bucket-setup')
    expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('bucket:setup -- --create') })
    expect(await run('bucket-setup', '--create')).toMatchObject({
      ...{ code: 0, err: '' },
      out: expect.stringContaining('not-made-yet: created'),
    })
    expect((await run('bucket-setup', '--create')).out).not.toContain('created')
    app.env = kept
  })

  test('bucket:setup prints what the store rejected, so that operators can set it themselves', async () => {
    app.s3.faults.add({
      operation: 'PutBucketLifecycleConfiguration',
      action: { kind: 'fail', code: 'NotImplemented', status: 501 },
      nth: 1,
    })
    const { code, err, out } = await run('bucket-setup')
    app.s3.faults.reset()
    expect(code).toBe(1)
    expect(out).toContain('CORS rule set')
    expect(err).toContain('NotImplemented')
    expect(err).toContain('"DaysAfterInitiation": 8')
    expect(out).toContain('lifecycle rule for staging/ alone set')
  })

  test('commands name their missing variables', async () => {
    const { DATABASE_URL: _, ...rest } = app.env
    const kept = app.env
    app.env = rest
    expect(await run('quota-check')).toMatchObject({
      code: 2,
      err: expect.stringContaining('DATABASE_URL is missing'),
    })
    expect(await run('orphans')).toMatchObject({
      code: 1,
      err: expect.stringContaining('DATABASE_URL is missing'),
    })
    app.env = kept
  })
})
