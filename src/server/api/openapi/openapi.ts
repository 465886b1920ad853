import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { FastResponse } from 'srvx'
import { createDocument, type ZodOpenApiObject } from 'zod-openapi'
import type { Services } from '../services.ts'
import { endpointPaths } from './endpoint-paths.ts'
import { procedurePaths, QUERY_INPUTS } from './procedure-paths.ts'
import { webhookRequests } from './webhooks.ts'

/** Best first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const
type Encoding = (typeof ENCODINGS)[number]
type Representation = { bytes: Uint8Array<ArrayBuffer>; etag: string }

/**
 * The document in every encoding, by base URL. It is created once, because anyone can request it: creating it takes
 * 80 ms. Brotli leaves 5% of its 0.25 MB.
 */
const documents = new Map<string, Promise<Record<Encoding, Representation>>>()

/** Handles GET /api/openapi.json. The document is generated from the schemas that validate requests. */
export async function handleOpenapi(request: Request, services: Promise<Services>): Promise<Response> {
  const { baseUrl } = (await services).config
  const document = documents.get(baseUrl) ?? createRepresentations(baseUrl)
  documents.set(baseUrl, document)
  const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
  const { bytes, etag } = (await document)[encoding]
  const headers = { 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding', etag }
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  return new FastResponse(bytes, {
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
  })
}

async function createRepresentations(baseUrl: string): Promise<Record<Encoding, Representation>> {
  const identity = new TextEncoder().encode(JSON.stringify(openapiDocument(baseUrl)))
  const hash = createHash('sha256').update(identity).digest('base64url')
  const [br, gz] = await Promise.all([
    // Quality 11 takes six times as long and saves another 7%.
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(identity, { level: 9 }),
  ])
  const represent = (bytes: Uint8Array, encoding: string) => ({
    bytes: new Uint8Array(bytes),
    etag: `"${hash}${encoding}"`,
  })
  return { br: represent(br, '-br'), gzip: represent(gz, '-gzip'), identity: represent(identity, '') }
}

/** The best encoding that an Accept-Encoding header (RFC 9110, 12.5.3) allows. */
function acceptedEncoding(header: string | null): Encoding {
  const accepted = new Map(
    (header ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.toLowerCase().replaceAll(' ', '').split(';')
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  return ENCODINGS.find((encoding) => accepted.get(encoding) ?? accepted.get('*')) ?? 'identity'
}

const bearer = (description: string) => ({ type: 'http' as const, scheme: 'bearer', description })

/** Creates the OpenAPI 3.1 document. Schemas with an `id` become components. */
export function openapiDocument(baseUrl: string) {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Pigeonhole',
      version: '1',
      description:
        'All HTTP calls and webhook deliveries. @pigeonhole/client is a typed client for the paths below /api/trpc.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    paths: { ...endpointPaths(), ...procedurePaths() },
    webhooks: webhookRequests(),
    components: {
      schemas: QUERY_INPUTS,
      securitySchemes: {
        session: bearer(
          'The token from session.create, a JWT from AUTH_JWT_ISSUER, or the session cookie. The admin API requires a user with the role admin',
        ),
        apiKey: bearer('A raw API key (pk_...)'),
        adminSecret: bearer('PUSH_TOKEN_ADMIN_SECRET'),
        userToken: bearer('A user token (ut_...) that a backend created'),
        serverKey: bearer('A raw server key (sk_...)'),
        pushToken: bearer('A raw push token (ph_...)'),
        metricsToken: bearer('METRICS_TOKEN; if it is not set, the admin secret'),
      },
    },
  }
  // Custom types have their JSON Schema in `.meta`, which the library's check does not find through a `refine`.
  return createDocument(document, { allowEmptySchema: { custom: true } })
}
