import { Agent, request } from 'undici'
import { createApnsGateway } from '../adapters/apns/gateway.ts'
import { createFcmGateway } from '../adapters/fcm/gateway.ts'
import { createVapid } from '../adapters/web-push/vapid.ts'
import type { Config } from '../config/config.ts'
import type { ApnsEnvironment, Gateway, Outcome } from '../domain/push/delivery/gateway.ts'
import type { Notification } from '../domain/push/messages/notification.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { compareClocks, timeLimit } from './peer.ts'
import { attempt, fail, ok, type Report, type Verdict, warn } from './report.ts'

/** No device has these tokens. A gateway that reports this has accepted the credentials, and the topic or project. */
const APNS_TOKEN = '0'.repeat(64)
const FCM_TOKEN = 'pigeonhole-doctor-no-such-device'

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

type GatewayConfig = Pick<Config, 'apns' | 'fcm'>

/** Placeholders: push services cannot contact them, and Apple's rejects some. */
const PLACEHOLDER = /@(localhost|example\.(com|org|net))$|^https:\/\/(localhost|example\.(com|org|net))\b/

/** Checks that the VAPID keys sign and that the subject is a real contact. Only subscribed browsers can get pushes. */
export function checkWebPush({ webPush }: Pick<Config, 'webPush'>, report: Report): void {
  const { keys } = webPush
  if (!keys) {
    report('web-push', 'warn', 'not configured: pushes to browsers fail with GATEWAY_NOT_CONFIGURED')
    return
  }
  // The configuration has checked that the keys match.
  createVapid(keys, systemClock).authorization('https://fcm.googleapis.com')
  report('web-push', 'ok', 'the keys match and sign')
  const subject = PLACEHOLDER.test(keys.subject)
    ? warn(`WEB_PUSH_SUBJECT is ${keys.subject}: set an address that you monitor, or Apple rejects pushes`)
    : ok(keys.subject)
  report('web-push-subject', ...subject)
}

/** Sends a push to a device that cannot exist through each configured gateway, and compares clocks. */
export async function checkGateways({ apns, fcm }: GatewayConfig, report: Report): Promise<void> {
  if (apns) {
    const gateway = createApnsGateway(apns, { log: SILENT, clock: systemClock })
    const settings = 'APNS_TEAM_ID, APNS_KEY_ID, APNS_PRIVATE_KEY and APNS_TOPIC'
    for (const environment of ['production', 'sandbox'] as const)
      await attempt(report, `apns-${environment}`, () => trySend(gateway, APNS_TOKEN, settings, environment))
    await gateway.close(0)
  } else report('apns', 'warn', 'not configured: pushes to iOS fail with GATEWAY_NOT_CONFIGURED')
  if (fcm) {
    let tokenError: unknown
    const log: Logger = {
      ...SILENT,
      warn: (details) => (tokenError = (details as { error?: unknown }).error),
    }
    const gateway = createFcmGateway(fcm, { log, clock: systemClock })
    const settings = 'FIREBASE_PROJECT_ID and the service account'
    await attempt(report, 'fcm', async () => {
      const verdict = await trySend(gateway, FCM_TOKEN, settings)
      return tokenError === undefined ? verdict : noAccessToken(fcm, tokenError)
    })
    await gateway.close(0)
  } else report('fcm', 'warn', 'not configured: pushes to Android fail with GATEWAY_NOT_CONFIGURED')
  await checkGatewayClocks({ apns, fcm }, report)
}

/** Compares clocks, because gateways reject tokens that seem too old or from the future. Sends no push. */
export async function checkGatewayClocks({ apns, fcm }: GatewayConfig, report: Report): Promise<void> {
  const endpoints = {
    ...(apns && { 'apns-production-clock': apns.endpoint, 'apns-sandbox-clock': apns.sandboxEndpoint }),
    ...(fcm && { 'fcm-clock': fcm.endpoint }),
  }
  const dispatcher = new Agent({ allowH2: true })
  const dateOf = async (endpoint: string) => {
    const { headers, body } = await request(new URL(endpoint).origin, { dispatcher, signal: timeLimit() })
    body.on('error', () => {}).destroy()
    return typeof headers.date === 'string' ? headers.date : undefined
  }
  const unknown = ok('sends no Date header to compare: the push shows whether the clocks agree')
  await Promise.all(
    Object.entries(endpoints).map(([check, endpoint]) =>
      attempt(report, check, () => compareClocks(() => dateOf(endpoint), unknown)),
    ),
  )
  await dispatcher.destroy()
}

/** The token endpoint's error, such as Google's `invalid_grant`, says what is wrong with the credentials. */
function noAccessToken({ serviceAccount }: NonNullable<Config['fcm']>, error: unknown): Verdict {
  const settings = serviceAccount
    ? 'FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY'
    : 'the file of GOOGLE_APPLICATION_CREDENTIALS'
  const said = String(error).replace(/\s+/g, ' ').trim()
  return fail(`no access token (${said}): check ${settings}, that the account still exists, and the clock`)
}

async function trySend(
  gateway: Gateway,
  token: string,
  settings: string,
  environment: ApnsEnvironment = 'production',
): Promise<Verdict> {
  const target = { platform: gateway.platform, token, environment, deviceId: crypto.randomUUID() }
  const timeout = timeLimit()
  const outcome = await Promise.race([
    gateway.send(gateway.prepare(notification()), target),
    new Promise<undefined>((resolve) => timeout.addEventListener('abort', () => resolve(undefined))),
  ])
  return outcome
    ? outcomeVerdict(outcome, settings)
    : fail('no response in time: check that this machine can reach it')
}

function outcomeVerdict(outcome: Outcome, settings: string): Verdict {
  switch (outcome.kind) {
    case 'accepted':
      return warn('accepted a push to a device that cannot exist: check that this is the real gateway')
    // The device token is at fault, so the gateway has accepted everything else.
    case 'gone':
    case 'suspect':
      return ok(`accepts the credentials (${outcome.reason} for a device that cannot exist)`)
    default:
      return fail(
        `responds with ${outcome.reason}: check ${settings}, and that this machine can reach the gateway`,
      )
  }
}

function notification(): Notification {
  return {
    messageId: crypto.randomUUID(),
    title: 'Pigeonhole doctor',
    body: 'This push goes to a device that cannot exist.',
    data: {},
    category: 'general',
    collapseId: 'pigeonhole-doctor',
    expiresAt: new Date(Date.now() + 60_000),
    priority: 'normal',
  }
}
