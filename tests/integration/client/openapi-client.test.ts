// Third-party tools read /api/openapi.json: a linter finds nothing, and a generated client calls the server. Each
// response must match the schema in the document.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { generateSource } from 'oazapfts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openapiDocument } from '../../../src/server/api/openapi/openapi.ts'
import { appRouter } from '../../../src/server/api/trpc/router.ts'
import { type ClientApp, startClientApp } from '../../support/app/client-app.ts'
import { png, put } from '../../support/app/upload-app.ts'
import { createUser, type TestUser } from '../../support/users.ts'

type Answer = { status: number; data: Body }
// biome-ignore lint/suspicious/noExplicitAny: what a generated client returns, read by a test
type Body = any
type Options = { baseUrl: string; headers: Record<string, string>; fetch: typeof fetch }
/** Functions of calls without input have only the options parameter. */
type GeneratedClient = Record<string, (...args: [unknown, Options] | [Options]) => Promise<Answer>>

const ROOT = join(import.meta.dirname, '../../..')
const ajv = new Ajv2020({ formats: { iri: true, 'date-time': true }, strict: false })

let app: ClientApp
let user: TestUser
let client: GeneratedClient
let folder: string
const document = openapiDocument('http://localhost')
const documented = document.paths as Record<string, Record<string, { operationId: string; responses: Body }>>

beforeAll(async () => {
  app = await startClientApp()
  user = await createUser(app)
  // The folder is inside the repository, so that the generated file finds its runtime.
  await mkdir(join(ROOT, '.data'), { recursive: true })
  folder = await mkdtemp(join(ROOT, '.data/openapi-'))
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(openapiDocument(app.url)))
  await writeFile(join(folder, 'client.ts'), await generateSource(join(folder, 'openapi.json')))
  client = await import(join(folder, 'client.ts'))
})
afterAll(async () => {
  await app?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** Calls a function of the generated client. Fails if the response does not match the document. */
async function call(
  name: string,
  input?: unknown,
  headers: Record<string, string> = user.headers,
): Promise<Answer> {
  const options = { baseUrl: app.url, headers, fetch: checkedFetch }
  return input === undefined ? client[name]!(options) : client[name]!(input, options)
}

const checkedFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init)
  const path = new URL(String(url)).pathname
  const operation = documented[path]![(init?.method ?? 'GET').toLowerCase()]!
  const schema = operation.responses[response.status]?.content['application/json'].schema
  const body = await response.clone().json()
  expect(schema, `${path} ${response.status} ${JSON.stringify(body)}`).toBeDefined()
  // References in the schema are to the document's components.
  const valid = ajv.compile({ ...schema, components: document.components })
  expect(valid(body), `${path}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(body)}`).toBe(true)
  return response
}

// At run time the record is flat, with names like `upload.status`.
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>

test('every procedure is documented with its method, and the generated client has a function for it', () => {
  const names = Object.entries(procedures).map(([name, { _def }]) => {
    const method = _def.type === 'query' ? 'get' : 'post'
    expect(Object.keys(documented[`/api/trpc/${name}`] ?? {})).toEqual([method])
    return name.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase())
  })
  expect(Object.keys(client)).toEqual(expect.arrayContaining(names))
})

test('the linter `redocly` finds nothing', async () => {
  const cli = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
  // No client error is possible for the probes. The rule against localhost is for published documents.
  const skipped = ['operation-4xx-response', 'no-server-example.com'].flatMap((rule) => ['--skip-rule', rule])
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      cli,
      'lint',
      'openapi.json',
      '--extends',
      'recommended',
      '--format',
      'json',
      '--max-problems',
      '20',
      ...skipped,
    ],
    {
      cwd: folder,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  expect(JSON.parse(stdout).problems).toEqual([])
})

test('an upload with the generated client', async () => {
  expect((await call('uploadLimits')).data.result.data.maxSimpleBytes).toBe(SIMPLE_MAX_BYTES)
  const bytes = png(2000)
  const wanted = { filename: 'a.png', mimeType: 'image/png', size: bytes.length }
  const { data } = await call('uploadRequestUploadUrl', wanted)
  const { fileId, uploadUrl, headers } = data.result.data
  expect((await put(uploadUrl, bytes, headers)).status).toBe(200)
  expect((await call('uploadConfirmUpload', { fileId })).data.result.data.file.id).toBe(fileId)
  // The input of a query is JSON text. The generator makes a required input the first argument.
  const list = await call('filesList', { input: JSON.stringify({ limit: 1 }) })
  expect(list.data.result.data.items).toMatchObject([{ id: fileId, state: 'READY', filename: 'a.png' }])
  expect((await call('uploadStatus', JSON.stringify({ fileId }))).data.result.data.state).toBe('READY')
  expect((await call('accountUsage')).data.result.data.used).toBe(bytes.length)
})

test('times in lists match the document', async () => {
  await call('devicesRegister', { platform: 'android', token: 'a-phone' })
  const { items } = (await call('devicesList')).data.result.data
  expect(items[0].createdAt).toMatch(/^\d{4}-.*Z$/)
  expect((await call('accountSessions')).data.result.data.items[0].current).toBe(true)
  expect((await call('messagesList', { input: '{}' })).data.result.data.items).toEqual([])
})

test('fields of an input that a generator sends as query parameters are rejected, not ignored', async () => {
  const response = await fetch(`${app.url}/api/trpc/files.list?limit=1`, { headers: user.headers })
  expect(response.status).toBe(400)
  const { error } = await response.json()
  expect(error.data).toMatchObject({ code: 'BAD_REQUEST', fieldErrors: { limit: [expect.any(String)] } })
})

test('errors have the documented envelope', async () => {
  const invalid = await call('uploadRequestUploadUrl', { filename: '', mimeType: 'image/png', size: 1 })
  expect(invalid).toMatchObject({ status: 400, data: { error: { data: { fieldErrors: { filename: {} } } } } })
  expect((await call('filesDelete', { fileId: 'no-such-file' })).status).toBe(404)
  expect((await call('accountUsage', undefined, {})).status).toBe(401)
  const large = { filename: 'a.mp4', mimeType: 'video/mp4', size: 5 * 1024 ** 3, totalParts: 1000 }
  expect((await call('uploadInitiateMultipart', large)).status).toBe(413)
})
