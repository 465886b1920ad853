import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type ControlServer, withControlServer } from '../gateway/control-server.ts'
import type { Gateway, GatewayOptions } from '../gateway/gateway.ts'
import { startOpenGateway } from '../gateway/open-gateway.ts'
import { AccessTokens } from './access-tokens.ts'
import { AUDIENCE, type CredentialsSource } from './credentials.ts'
import { VirtualDevices } from './devices.ts'
import { fcmError, isReason } from './errors.ts'
import { openTokenEndpoint, type ServiceAccount, type TokenEndpoint } from './token-endpoint.ts'
import { type FcmPush, rejection, validate } from './validate.ts'

export type FcmOptions = Omit<GatewayOptions, 'http1' | 'initialStreams'> & {
  projectId: string
  /** More projects that the same credentials can send for. */
  otherProjects?: readonly string[]
  /** Access tokens that never expire, besides those that the token endpoint issues. */
  validAccessTokens?: readonly string[]
  /** Lifetime of tokens that the endpoint issues. Default: 3600. `tokens.lifetimeSeconds` changes it later. */
  accessTokenLifetimeSeconds?: number
  serviceAccounts?: readonly ServiceAccount[]
  /** Subject token that `external_account` credentials must present. Default: a random one. */
  subjectToken?: string
  /** Error for a request for another project. Default: NOT_FOUND, without FcmError. */
  unknownProject?: 'NOT_FOUND' | 'PERMISSION_DENIED'
  /** If true, only registered devices are valid. Default: false. */
  strictDevices?: boolean
  /**
   * If true, registration tokens must have Google's format (`<22 characters>:<120 or more>`). Default: false, any
   * letters, digits and `_:.%~-`, so that a developer can type one.
   */
  strictTokens?: boolean
  tokenPort?: number
  /** Port of the control server, 0 for a free one. Default: no control server. */
  controlPort?: number
}

export type FcmEmulator = Gateway<FcmPush> & {
  readonly devices: VirtualDevices
  readonly tokens: AccessTokens
  readonly tokenEndpoint: TokenEndpoint
  /** Argument of `writeFcmCredentials`. */
  readonly credentials: CredentialsSource
  readonly control: ControlServer | null
}

/** Body of `POST /tokens` at the control server. */
const tokenSettings = z.strictObject({
  lifetimeSeconds: z.number().positive().optional(),
  revokeAll: z.boolean().optional(),
  failWith: z.int().min(400).max(599).nullable().optional(),
})

const ANY_TOKEN = /^[\w:.%~-]{1,4096}$/
const GOOGLE_TOKEN = /^[\w-]{22}:[\w-]{120,4000}$/

/**
 * Starts a local FCM: `POST /v1/projects/P/messages:send` over HTTP/2 or HTTP/1.1, with or without TLS, and the
 * endpoint that issues its access tokens.
 */
export async function startFcm(options: FcmOptions): Promise<FcmEmulator> {
  const devices = new VirtualDevices(options.strictDevices)
  const tokens = new AccessTokens(options.accessTokenLifetimeSeconds, options.validAccessTokens)
  const subjectToken = options.subjectToken ?? randomBytes(32).toString('base64url')
  const pattern = options.strictTokens ? GOOGLE_TOKEN : ANY_TOKEN
  const gateway = await startOpenGateway<FcmPush>(options, (requestLog) => ({
    validate: (request) =>
      validate(request, {
        projects: [options.projectId, ...(options.otherProjects ?? [])],
        unknownProject: options.unknownProject ?? 'NOT_FOUND',
        tokens,
        devices,
        isToken: (token) => pattern.test(token),
        onCredential: (token) => requestLog.recordCredential(token),
      }),
    isReason,
    benchmark: {
      reply: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: `{"name":"projects/${options.projectId}/messages/benchmark"}`,
      },
      tokenAfter: '"token":"',
    },
    reject: ({ reason, retryAfterSeconds }, _request, token) =>
      rejection(fcmError(isReason(reason) ? reason : 'INTERNAL', retryAfterSeconds), token),
  }))
  const tokenEndpoint = await openTokenEndpoint(
    {
      port: options.tokenPort,
      audience: AUDIENCE,
      subjectToken,
      serviceAccounts: options.serviceAccounts ?? [],
    },
    tokens,
  )
  const controlled = await withControlServer(gateway, devices, options.controlPort, {
    'POST /tokens': (body) => changeTokens(tokenSettings.parse(body), tokens, tokenEndpoint),
  })
  return {
    ...controlled,
    devices,
    tokens,
    tokenEndpoint,
    credentials: {
      tokenUrl: tokenEndpoint.url,
      audience: AUDIENCE,
      subjectToken,
      projectId: options.projectId,
    },
    close: async () => {
      await Promise.all([tokenEndpoint.close(), controlled.close()])
    },
  }
}

function changeTokens(
  change: z.infer<typeof tokenSettings>,
  tokens: AccessTokens,
  endpoint: TokenEndpoint,
): object {
  if (change.lifetimeSeconds !== undefined) tokens.lifetimeSeconds = change.lifetimeSeconds
  if (change.revokeAll) tokens.revokeAll()
  if (change.failWith !== undefined) endpoint.failWith = change.failWith
  return { lifetimeSeconds: tokens.lifetimeSeconds, failWith: endpoint.failWith, ...endpoint.counts }
}
