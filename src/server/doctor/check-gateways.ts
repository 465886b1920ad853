import { Agent, request } from 'undici'
import { createApnsGateway } from '../apns/gateway.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { createFcmGateway } from '../fcm/gateway.ts'
import type { Outcome } from '../push/outcome.ts'
import type { Gateway, Notification, Recipient } from '../push/ports.ts'
import { createVapid } from '../webpush/vapid.ts'
import { attempt, type Report, reportSkew, timeIn } from './finding.ts'

/** No device has these tokens: a gateway that says so has accepted our credentials and our topic or project. */
const APNS_TOKEN = '0'.repeat(64)
const FCM_TOKEN = 'pigeonhole-doctor-no-such-device'
const TIMEOUT_MS = 15_000

type GatewayConfig = Pick<Config, 'apns' | 'fcm'>
/** Of examples and local names: a push service cannot turn to these, and Apple's refuses some. */
const UNREAL = /@(localhost|example\.(com|org|net))$|^https:\/\/(localhost|example\.(com|org|net))\b/

/** Whether the VAPID keys make a token, and whether the subject reaches anybody. Pushes need a browser that subscribed. */
export function checkWebPush({ webPush }: Pick<Config, 'webPush'>, report: Report): void {
  const { keys } = webPush
  if (!keys) {
    report('web-push', 'warn', 'not configured: pushes to browsers fail with GATEWAY_NOT_CONFIGURED')
    return
  }
  // That they belong together is checked with the environment.
  createVapid(keys, systemClock).authorization('https://fcm.googleapis.com')
  report('web-push', 'ok', 'the keys are a pair and sign')
  if (UNREAL.test(keys.subject))
    report(
      'web-push-subject',
      'warn',
      `WEB_PUSH_SUBJECT is ${keys.subject}: give an address that somebody reads, or Apple refuses pushes`,
    )
  else report('web-push-subject', 'ok', keys.subject)
}

/** Sends one push to a device that cannot exist through each configured gateway, and compares its clock. */
export async function checkGateways({ apns, fcm }: GatewayConfig, report: Report): Promise<void> {
  const options = { log: { debug() {}, info() {}, warn() {}, error() {} }, clock: systemClock }
  if (apns) {
    const gateway = createApnsGateway(apns, options)
    for (const environment of ['production', 'sandbox'] as const)
      await tryGateway(report, `apns-${environment}`, gateway, {
        platform: 'ios',
        token: APNS_TOKEN,
        environment,
      })
    await gateway.close(0)
  } else report('apns', 'warn', 'not configured: pushes to iOS fail with GATEWAY_NOT_CONFIGURED')
  if (fcm) {
    const gateway = createFcmGateway(fcm, options)
    await tryGateway(report, 'fcm', gateway, {
      platform: 'android',
      token: FCM_TOKEN,
      environment: 'production',
    })
    await gateway.close(0)
  } else report('fcm', 'warn', 'not configured: pushes to Android fail with GATEWAY_NOT_CONFIGURED')
  await checkGatewayClocks({ apns, fcm }, report)
}

/** Compares clocks, since gateways refuse tokens that seem too old or from the future. Sends no push. */
export async function checkGatewayClocks({ apns, fcm }: GatewayConfig, report: Report): Promise<void> {
  const endpoints = {
    ...(apns && { 'apns-production-clock': apns.endpoint, 'apns-sandbox-clock': apns.sandboxEndpoint }),
    ...(fcm && { 'fcm-clock': fcm.endpoint }),
  }
  const http2 = new Agent({ allowH2: true })
  await Promise.all(
    Object.entries(endpoints).map(([check, endpoint]) =>
      attempt(report, check, async () => {
        const before = Date.now()
        const { headers, body } = await request(new URL(endpoint).origin, {
          dispatcher: http2,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        body.on('error', () => {}).destroy()
        const { date } = headers
        if (typeof date === 'string')
          reportSkew(report, check, timeIn(date), new Date((before + Date.now()) / 2))
        else report(check, 'ok', 'sends no Date to compare: the push tells whether its clock agrees')
      }),
    ),
  )
  await http2.destroy()
}

async function tryGateway(
  report: Report,
  check: string,
  gateway: Gateway,
  device: Pick<Recipient, 'platform' | 'token' | 'environment'>,
): Promise<void> {
  await attempt(report, check, async () => {
    const recipient: Recipient = { ...device, deviceId: crypto.randomUUID(), lastSeenAt: new Date() }
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const outcome = await Promise.race([
      gateway.send(gateway.prepare(notification()), recipient),
      new Promise<'no answer'>((resolve) => timeout.addEventListener('abort', () => resolve('no answer'))),
    ])
    if (outcome === 'no answer') report(check, 'FAIL', `no answer within ${TIMEOUT_MS / 1000} s`)
    else reportOutcome(report, check, outcome)
  })
}

function reportOutcome(report: Report, check: string, outcome: Outcome): void {
  if (outcome.kind === 'accepted')
    report(check, 'warn', 'accepted a push to a device that cannot exist: is this the real gateway?')
  // The device token is at fault: everything before it was accepted.
  else if (outcome.kind === 'gone' || outcome.kind === 'suspect')
    report(
      check,
      'ok',
      `accepts our credentials (it answers ${outcome.reason} for a device that cannot exist)`,
    )
  else
    report(
      check,
      'FAIL',
      `answers ${outcome.reason}: check ${check === 'fcm' ? 'FIREBASE_PROJECT_ID and the service account' : 'APNS_TEAM_ID, APNS_KEY_ID, APNS_PRIVATE_KEY and APNS_TOPIC'}, and that this machine reaches the gateway`,
    )
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
