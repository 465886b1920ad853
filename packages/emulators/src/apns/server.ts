import { type ControlDoor, openControlDoor } from '../kit/control.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../kit/gateway.ts'
import { VirtualDevices } from './devices.ts'
import { type ApnsPush, judge, refusal } from './judge.ts'
import { type ProviderTokenOptions, ProviderTokens } from './provider-token.ts'
import { isReason } from './reasons.ts'

export interface ApnsOptions
  extends Omit<GatewayOptions, 'http1' | 'initialStreams' | 'tls'>,
    ProviderTokenOptions {
  /** Certificate and key of the server, PEM (see `ensureTls`). */
  tls: { certPem: string; keyPem: string }
  /** Bundle ids this team may push to. */
  topics: readonly string[]
  environment: 'production' | 'sandbox'
  /** Only devices that were made known are accepted. Default false: any well-shaped token. */
  strictDevices?: boolean
  /** Streams a new connection may have open before its first accepted provider token. Default 1, as at Apple. */
  initialStreams?: number
  /** Port of the control door: 0 for a free one; without it there is none. */
  controlPort?: number
}

export interface Apns extends Gateway<ApnsPush> {
  readonly devices: VirtualDevices
  readonly control: ControlDoor | null
}

/** Starts a local APNs: `POST /3/device/<token>` over HTTP/2 and TLS, as strict as Apple documents it. */
export async function startApns(options: ApnsOptions): Promise<Apns> {
  const devices = new VirtualDevices(options.strictDevices)
  const providerTokens = new ProviderTokens(options)
  const gateway = await startGateway<ApnsPush>(
    { ...options, http1: false, initialStreams: options.initialStreams ?? 1 },
    (ledger) => ({
      judge: (exchange) =>
        judge(exchange, {
          topics: options.topics,
          environment: options.environment,
          providerTokens,
          devices,
          onCredential: (token) => ledger.recordCredential(token),
        }),
      isReason,
      fast: { reply: { status: 200 }, tokenAfter: null },
      refuse: (action, exchange, token) =>
        refusal(
          isReason(action.reason) ? action.reason : 'InternalServerError',
          exchange,
          token,
          action.timestamp,
        ),
    }),
  )
  const control =
    options.controlPort === undefined ? null : await openControlDoor(gateway, devices, options.controlPort)
  return {
    ...gateway,
    devices,
    control,
    close: async () => {
      await control?.close()
      await gateway.close()
    },
  }
}
