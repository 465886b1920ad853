import { type ControlServer, withControlServer } from '../gateway/control-server.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../gateway/gateway.ts'
import { VirtualDevices } from './devices.ts'
import { type ProviderTokenOptions, ProviderTokens } from './provider-token.ts'
import { isReason } from './reasons.ts'
import { type ApnsPush, rejection, validate } from './validate.ts'

export type ApnsOptions = Omit<GatewayOptions, 'http1' | 'initialStreams' | 'tls'> &
  ProviderTokenOptions & {
    /** Certificate and key of the server, PEM (see `ensureTls`). */
    tls: { certPem: string; keyPem: string }
    /** Bundle IDs to which this team can push. */
    topics: readonly string[]
    environment: 'production' | 'sandbox'
    /** If true, only registered devices are accepted. Default: false, any well-formed token. */
    strictDevices?: boolean
    /**
     * Maximum number of open streams on a new connection before its first accepted provider token. Default: 1, as at
     * Apple.
     */
    initialStreams?: number
    /** Port of the control server, 0 for a free one. Default: no control server. */
    controlPort?: number
  }

export type ApnsEmulator = Gateway<ApnsPush> & {
  readonly devices: VirtualDevices
  readonly control: ControlServer | null
}

/** Starts a local APNs: `POST /3/device/<token>` over HTTP/2 and TLS, as strict as Apple's documentation. */
export async function startApns(options: ApnsOptions): Promise<ApnsEmulator> {
  const devices = new VirtualDevices(options.strictDevices)
  const providerTokens = new ProviderTokens(options)
  const gateway = await startGateway<ApnsPush>(
    { ...options, http1: false, initialStreams: options.initialStreams ?? 1 },
    (requestLog) => ({
      validate: (request) =>
        validate(request, {
          topics: options.topics,
          environment: options.environment,
          providerTokens,
          devices,
          onCredential: (token) => requestLog.recordCredential(token),
        }),
      isReason,
      benchmark: { reply: { status: 200 }, tokenAfter: null },
      reject: (action, request, token) =>
        rejection(
          isReason(action.reason) ? action.reason : 'InternalServerError',
          request,
          token,
          action.timestamp,
        ),
    }),
  )
  return { ...(await withControlServer(gateway, devices, options.controlPort)), devices }
}
