import { Agent, request } from 'undici'
import { type ApnsConfig, createApnsGateway } from '../adapters/apns/gateway.ts'
import { createFcmGateway, type FcmConfig } from '../adapters/fcm/gateway.ts'
import { createVapid } from '../adapters/web-push/vapid.ts'
import type { Config } from '../config/config.ts'
import type { ApnsEnvironment, Gateway, Outcome } from '../domain/push/delivery/gateway.ts'
import { DEFAULT_APP } from '../domain/push/devices/app-name.ts'
import type { Notification } from '../domain/push/messages/notification.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { aboutEntry } from '../kernel/named-settings.ts'
import { within } from '../kernel/time-limit.ts'
import { compareClocks, TIMEOUT_MS, timeLimit } from './peer.ts'
import { attempt, fail, ok, type Report, type Verdict, warn } from './report.ts'

/** No device has these tokens. A gateway that reports this has accepted the credentials, and the topic or project. */
const APNS_TOKEN = '0'.repeat(64)
const FCM_TOKEN = 'pigeonhole-doctor-no-such-device'

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

type GatewayConfig = Pick<Config, 'pushApps'>

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

/** Sends a push to a device that cannot exist through each configured gateway of each app, and compares clocks. */
export async function checkGateways({ pushApps }: GatewayConfig, report: Report): Promise<void> {
  for (const [app, { apns, fcm }] of pushApps) {
    const settings = app === DEFAULT_APP ? VARIABLE_NAMES : namesInFile(app)
    const reportOfApp: Report =
      app === DEFAULT_APP ? report : (check, ...verdict) => report(`${app}/${check}`, ...verdict)
    await checkApns(apns, settings, reportOfApp)
    await checkFcm(fcm, settings, reportOfApp)
  }
  await checkGatewayClocks({ pushApps }, report)
}

/** Names of an app's settings, for advice. */
type Settings = { apns: string; fcm: string; serviceAccount: string; credentialsFile: string }

const VARIABLE_NAMES: Settings = {
  apns: 'APNS_TEAM_ID, APNS_KEY_ID, APNS_PRIVATE_KEY and APNS_TOPIC',
  fcm: 'FIREBASE_PROJECT_ID and the service account',
  serviceAccount: 'FIREBASE_CLIENT_EMAIL and FIREBASE_PRIVATE_KEY',
  credentialsFile: 'the file of GOOGLE_APPLICATION_CREDENTIALS',
}

function namesInFile(app: string): Settings {
  const place = `of ${aboutEntry('app', app)} in PUSH_APPS_FILE`
  const fcm = `projectId and credentialsFile ${place}`
  return {
    apns: `topic and key ${place}, or APNS_* for what it omits`,
    fcm,
    serviceAccount: fcm,
    credentialsFile: fcm,
  }
}

async function checkApns(apns: ApnsConfig | undefined, settings: Settings, report: Report): Promise<void> {
  if (!apns) {
    report('apns', 'warn', 'not configured: pushes to iOS fail with GATEWAY_NOT_CONFIGURED')
    return
  }
  const gateway = createApnsGateway(apns, { log: SILENT, clock: systemClock })
  for (const environment of ['production', 'sandbox'] as const)
    await attempt(report, `apns-${environment}`, () =>
      trySend(gateway, APNS_TOKEN, settings.apns, environment),
    )
  await gateway.close(0)
}

async function checkFcm(fcm: FcmConfig | undefined, settings: Settings, report: Report): Promise<void> {
  if (!fcm) {
    report('fcm', 'warn', 'not configured: pushes to Android fail with GATEWAY_NOT_CONFIGURED')
    return
  }
  let tokenError: unknown
  const log: Logger = {
    ...SILENT,
    warn: (details) => (tokenError = (details as { error?: unknown }).error),
  }
  const gateway = createFcmGateway(fcm, { log, clock: systemClock })
  await attempt(report, 'fcm', async () => {
    const verdict = await trySend(gateway, FCM_TOKEN, settings.fcm)
    if (tokenError === undefined) return verdict
    return noAccessToken(fcm.serviceAccount ? settings.serviceAccount : settings.credentialsFile, tokenError)
  })
  await gateway.close(0)
}

/** Compares clocks, because gateways reject tokens that seem too old or from the future. Sends no push. */
export async function checkGatewayClocks({ pushApps }: GatewayConfig, report: Report): Promise<void> {
  // All apps have the same endpoints.
  const apns = [...pushApps.values()].find((app) => app.apns)?.apns
  const fcm = [...pushApps.values()].find((app) => app.fcm)?.fcm
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
function noAccessToken(settings: string, error: unknown): Verdict {
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
  const outcome = await within(TIMEOUT_MS, gateway.send(gateway.prepare(notification()), target))
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
