// Code that openapi-typescript and hey-api generate from /api/openapi.json compiles and calls the server. They need an
// older TypeScript, so they are dependencies of tests/openapi-generators.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiServer, startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET } from '../../support/app/test-app.ts'
import { png, put, startUploadApp, type UploadApp } from '../../support/app/upload-app.ts'

const ROOT = join(import.meta.dirname, '../../..')
const GENERATORS = join(ROOT, 'tests/openapi-generators/node_modules')

const policies = writePolicies({ avatar: { mimeTypes: ['image/png'], hold: true } })
let app: UploadApp
let server: ApiServer
let folder: string

beforeAll(async () => {
  app = await startUploadApp({ UPLOAD_POLICIES_FILE: policies.path })
  server = await startApiServer(app)
  // The folder is inside the repository, so that Node finds the compiler.
  await mkdir(join(ROOT, '.data'), { recursive: true })
  folder = await mkdtemp(join(ROOT, '.data/generators-'))
  const document = await fetch(`${server.url}/api/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await document.text())
})
afterAll(async () => {
  server?.close()
  await app?.close()
  policies.remove()
  if (folder) await rm(folder, { recursive: true })
})

/** Runs a program of npm. @throws Error with its output if it fails */
async function run(program: string, ...args: string[]): Promise<void> {
  const ran = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder })
  await ran.catch(({ stdout, stderr }) => {
    throw new Error(`${program}: ${stdout}${stderr}`)
  })
}

/** Compiles TypeScript with the checks of a strict project. @throws Error with the compiler's errors */
async function compile(...files: string[]): Promise<void> {
  const options = [
    '--noEmit',
    '--strict',
    '--ignoreConfig',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom,dom.iterable',
  ]
  const modules = [
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--types',
    '',
    '--skipLibCheck',
    'false',
  ]
  await run(join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...modules, ...files)
}

test('openapi-typescript: parameters, bodies, responses, named schemas and webhooks have types', async () => {
  await run(join(GENERATORS, 'openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'schema.d.ts')
  await writeFile(
    join(folder, 'usage.ts'),
    `import type { components, operations, paths, webhooks } from './schema'

type Get<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never
type Post<Path extends keyof paths> = paths[Path] extends { post: infer Operation } ? Operation : never
type QueryOf<T> = T extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never
type BodyOf<T> = T extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : never
type Answer<T, Status extends number> = T extends {
  responses: { [S in Status]: { content: { 'application/json': infer Body } } }
} ? Body : never

export const search: QueryOf<Get<'/api/admin/files'>> = { state: 'HELD', data: { order: 'A1' }, limit: 1 }
// @ts-expect-error: not a parameter
export const unknown: QueryOf<Get<'/api/admin/files'>> = { status: 'HELD' }
export const input: components['schemas']['FilesListInput'] = { limit: 1, sort: 'largest' }
export const query: QueryOf<operations['files.list']> = { input: JSON.stringify(input) }
export const token: BodyOf<Post<'/api/admin/user-tokens'>> = { externalId: 'ada', upload: { policy: 'avatar' } }
// @ts-expect-error: a verdict is accept or reject
export const verdict: BodyOf<Post<'/api/admin/files/{id}/verdict'>> = { verdict: 'maybe' }
export const minted = (answer: Answer<Post<'/api/admin/user-tokens'>, 201>): string => answer.token
export const listed = (file: components['schemas']['BackendFile']): string | null => file.url
export const held = (event: BodyOf<webhooks['file.held']['post']>): string => event.data.url
// @ts-expect-error: only the event of a held file has a URL for checking it
export const ready = (event: BodyOf<webhooks['file.deleted']['post']>) => event.data.url
`,
  )
  await compile('usage.ts')
})

test('hey-api: its client creates a user token, uploads and lists files, and accepts a held one', async () => {
  await run(
    join(GENERATORS, '@hey-api/openapi-ts/bin/run.js'),
    ...['-i', 'openapi.json', '-o', 'sdk', '--no-log-file'],
  )
  await compile('sdk/index.ts')
  const sdk = await import(join(folder, 'sdk/sdk.gen.ts'))
  const { client } = await import(join(folder, 'sdk/client.gen.ts'))
  client.setConfig({ baseUrl: server.url, throwOnError: true })
  const asBackend = { auth: ADMIN_SECRET }
  const upload = { policy: 'avatar', data: { order: 'A1' } }
  const { data: token } = await sdk.createUserToken({ ...asBackend, body: { externalId: 'ada', upload } })
  const asUser = { auth: token.token }
  const wanted = { filename: 'a.png', mimeType: 'image/png', size: 1000 }
  const begun = (await sdk.uploadRequestUploadUrl({ ...asUser, body: wanted })).data.result.data
  expect((await put(begun.uploadUrl, png(1000), begun.headers)).status).toBe(200)
  const { fileId } = begun
  await sdk.uploadConfirmUpload({ ...asUser, body: { fileId } })
  // Query parameters: the fields of an endpoint, an object, and the JSON input of a procedure.
  const query = { state: 'HELD', data: { order: 'A1' }, limit: 1 }
  expect((await sdk.listBackendFiles({ ...asBackend, query })).data.items).toMatchObject([{ id: fileId }])
  const other = { ...query, data: { order: 'A2' } }
  expect((await sdk.listBackendFiles({ ...asBackend, query: other })).data.items).toEqual([])
  await sdk.decideBackendFile({ ...asBackend, path: { id: fileId }, body: { verdict: 'accept' } })
  const input = JSON.stringify({ limit: 1, query: 'a.png' })
  const { data: list } = await sdk.filesList({ ...asUser, query: { input } })
  expect(list.result.data.items).toMatchObject([{ id: fileId, state: 'READY' }])
  const wrong = sdk.listBackendFiles({ ...asBackend, query: { status: 'HELD' } })
  await expect(wrong).rejects.toMatchObject({ error: { fieldErrors: { status: [expect.any(String)] } } })
})
