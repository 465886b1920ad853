import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { TRPCClientError } from '@trpc/client'
import { type Client, createClient, UnexpectedResponseError } from '../client.ts'
import { createServerClient, ServerError } from '../server.ts'
import { type Command, type Env, EXIT, parse, serverUrl, UsageError } from './command.ts'

const USAGE = `Usage: pigeonhole check [options]

Checks the settings of your app: creates a token for a test user, uploads a small image as your pages do, then reads
and deletes it. Prints one line per step, and what to do about the first failure.

  PIGEONHOLE_URL       address of the server, such as https://files.example.com
  PIGEONHOLE_KEY       server key of your backend, with the scope user-tokens:create
  CORS_ORIGINS         origins of your app's pages, separated by commas

  --url URL            instead of PIGEONHOLE_URL
  --origin ORIGIN      instead of CORS_ORIGINS; can be repeated
  --policy NAME        upload policy of the image

The variables can also be in .env.local or .env in this folder. The test user's externalId is pigeonhole-check.
Exit code: 0 all steps succeeded, 1 a step failed, 2 wrong usage.`

const OPTIONS = {
  url: { type: 'string' },
  origin: { type: 'string', multiple: true },
  policy: { type: 'string' },
} as const

/** PNG of one transparent pixel. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
const FILE = { filename: 'pigeonhole-check.png', mimeType: 'image/png', size: IMAGE.length }
const USER = 'pigeonhole-check'
const TIMEOUT_MS = 15_000

/** A step failed. The message says why and what to do. */
class CheckFailure extends Error {}

export const check: Command = {
  usage: USAGE,
  async run(args, env) {
    const { values } = parse(args, OPTIONS)
    const settings = readSettings(process.cwd(), env)
    const url = values.url ?? settings('PIGEONHOLE_URL')
    const key = settings('PIGEONHOLE_KEY')
    if (!url || !key) {
      console.error(
        `${url ? 'PIGEONHOLE_KEY' : 'PIGEONHOLE_URL'} is missing. Set it in .env.local or in the environment. "npx pigeonhole dev" prints both variables.`,
      )
      return EXIT.failed
    }
    const baseUrl = serverUrl(url)
    const origins = (values.origin ?? settings('CORS_ORIGINS')?.split(',') ?? []).map((one) => one.trim())
    for (const origin of origins)
      if (!URL.canParse(origin))
        throw new UsageError(`${origin} is not an origin, such as https://app.example.com.`)
    return (await runSteps({ baseUrl, key, origins, policy: values.policy })) ? EXIT.done : EXIT.failed
  },
}

/** Returns a function that finds a variable in the environment, `.env.local` or `.env`. */
function readSettings(folder: string, env: Env): (name: string) => string | undefined {
  const files = ['.env.local', '.env'].map((name) => join(folder, name)).filter((file) => existsSync(file))
  const sources: Env[] = [env, ...files.map((file) => parseEnv(readFileSync(file, 'utf8')) as Env)]
  return (name) => sources.map((source) => source[name]?.trim()).find(Boolean)
}

type Settings = { baseUrl: string; key: string; origins: string[]; policy: string | undefined }

/** Runs the steps in order and prints their results. Returns false at the first failure. */
async function runSteps({ baseUrl, key, origins, policy }: Settings): Promise<boolean> {
  const server = createServerClient({ baseUrl, key })
  /** Removes the uploaded image after a failure. */
  let cleanUp = async (): Promise<unknown> => undefined
  const step = async <T>(
    name: string,
    work: () => Promise<readonly [text: string, result: T]>,
  ): Promise<T> => {
    try {
      const [text, result] = await work()
      console.log(`ok    ${name}: ${text}`)
      return result
    } catch (error) {
      console.log(`FAIL  ${name}: ${describe(error, baseUrl)}`)
      throw new CheckFailure()
    }
  }
  try {
    await step('server', async () => [await reach(baseUrl), undefined])
    const token = await step('server key', async () => {
      const created = await server.userTokens.create({
        ...{ externalId: USER, name: 'npx pigeonhole check' },
        ...(policy && { upload: { policy } }),
      })
      return ['created a user token', created.token]
    })
    await step('CORS of the server', async () => [await checkServerCors(baseUrl, origins), undefined])
    const client = createClient({ baseUrl, token: () => token })
    const started = await step('upload', async () => {
      const upload = await client.upload.requestUploadUrl.mutate({ ...FILE, ...(policy && { policy }) })
      return ['the server permits it', upload]
    })
    const remove = () => client.files.delete.mutate({ fileId: started.fileId })
    cleanUp = remove
    await step('CORS of the bucket', async () => [
      await checkBucketCors(started.uploadUrl, origins),
      undefined,
    ])
    await step('bucket', async () => {
      await put(started.uploadUrl, started.headers)
      return [`stored ${IMAGE.length} bytes`, undefined]
    })
    const isHeld = await step('confirmation', async () => {
      const { file } = await client.upload.confirmUpload.mutate({ fileId: started.fileId })
      return file.state ? ['the file is held until a verdict', true] : ['the file is ready', false]
    })
    if (!isHeld) await step('read', async () => [await read(client, started.fileId), undefined])
    await step('delete', async () => {
      await remove()
      return ['the file is deleted', undefined]
    })
    console.log(`\nYour app can use ${baseUrl}.`)
    return true
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    // What this fails to remove expires by itself.
    await cleanUp().catch(() => undefined)
    return false
  }
}

/** Calls the server. @throws CheckFailure if it does not respond like Pigeonhole */
async function reach(baseUrl: string): Promise<string> {
  const response = await request(`${baseUrl}/api/health/ready`).catch((error: unknown) => {
    throw new CheckFailure(
      `${baseUrl} cannot be reached (${causeOf(error)}). Start the server, or correct PIGEONHOLE_URL.`,
    )
  })
  const health = (await response.json().catch(() => undefined)) as { status?: string } | undefined
  if (health?.status === undefined)
    throw new CheckFailure(
      `${baseUrl} responded with HTTP ${response.status}, but does not seem to be Pigeonhole. Correct PIGEONHOLE_URL.`,
    )
  if (!response.ok) throw new CheckFailure(`${baseUrl} is ${health.status}. Its operator can run "doctor".`)
  return `${baseUrl} is ready`
}

/** Asks the server whether pages of each origin can call it. */
async function checkServerCors(baseUrl: string, origins: string[]): Promise<string> {
  const own = new URL(baseUrl).origin
  const others = origins.filter((origin) => origin !== own)
  if (others.length === 0) return 'not checked: no CORS_ORIGINS and no --origin'
  for (const origin of others) {
    const allowed = await preflight(`${baseUrl}/api/trpc/upload.requestUploadUrl`, origin, {
      method: 'POST',
      headers: 'authorization, content-type',
    })
    if (!allowed)
      throw new CheckFailure(
        `the server rejects pages of ${origin}. Add it to CORS_ORIGINS on the server, then restart the server.`,
      )
  }
  return `allows ${others.join(', ')}`
}

/** Asks the bucket whether pages of each origin can upload. */
async function checkBucketCors(uploadUrl: string, origins: string[]): Promise<string> {
  if (origins.length === 0) return 'not checked: no CORS_ORIGINS and no --origin'
  for (const origin of origins) {
    const allowed = await preflight(uploadUrl, origin, { method: 'PUT', headers: 'content-type' })
    if (!allowed)
      throw new CheckFailure(
        `the bucket rejects uploads from pages of ${origin}. Add the origin to CORS_ORIGINS on the server, then run bucket:setup there.`,
      )
  }
  return `allows ${origins.join(', ')}`
}

async function preflight(
  url: string,
  origin: string,
  { method, headers }: { method: string; headers: string },
): Promise<boolean> {
  const response = await request(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })
  await response.body?.cancel()
  const allowed = response.headers.get('access-control-allow-origin')
  return response.ok && (allowed === origin || allowed === '*')
}

/** Sends the image as a page does. */
async function put(uploadUrl: string, headers: Record<string, string>): Promise<void> {
  const store = new URL(uploadUrl).origin
  const response = await request(uploadUrl, { method: 'PUT', headers, body: IMAGE }).catch(
    (error: unknown) => {
      throw new CheckFailure(
        `${store} cannot be reached from this machine (${causeOf(error)}). Browsers need it too: check the server's S3_ENDPOINT.`,
      )
    },
  )
  const text = await response.text()
  if (response.ok) return
  const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1] ?? 'no error code'
  throw new CheckFailure(
    `${store} responded with HTTP ${response.status} (${code}). The server's operator can run "doctor".`,
  )
}

/** Downloads the image and compares it. */
async function read(client: Client, fileId: string): Promise<string> {
  const { url } = await client.files.downloadUrl.query({ fileId })
  const response = await request(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (!response.ok)
    throw new CheckFailure(`${new URL(url).origin} responded with HTTP ${response.status} to a signed GET.`)
  if (!bytes.equals(IMAGE)) throw new CheckFailure('the bucket returned different bytes from those uploaded.')
  return `the same ${bytes.length} bytes came back`
}

function request(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
}

/** Returns why a step failed, and what to do. */
function describe(error: unknown, baseUrl: string): string {
  if (error instanceof CheckFailure) return error.message
  if (error instanceof ServerError) {
    if (error.code === 'UNAUTHORIZED')
      return 'the server rejects PIGEONHOLE_KEY: it is wrong, expired or revoked. Create another server key.'
    return error.message
  }
  if (error instanceof TRPCClientError && error.data) return error.message
  const cause = error instanceof TRPCClientError ? error.cause : error
  if (cause instanceof UnexpectedResponseError) return `${baseUrl} responded with ${cause.message}.`
  return `no response (${causeOf(cause)}).`
}

/** Returns the reason of a failed fetch: an error code if there is one. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`
  const { cause } = error as { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? error.message
}
