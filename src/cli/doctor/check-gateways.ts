import { createApnsGateway } from '../../server/apns/gateway.ts'
import { systemClock } from '../../server/clock.ts'
import type { Config } from '../../server/config.ts'
import { createFcmGateway } from '../../server/fcm/gateway.ts'
import type { Outcome } from '../../server/push/outcome.ts'
import type { Gateway, Notification, Recipient } from '../../server/push/ports.ts'
import { attempt, type Report } from './finding.ts'

/** No device has these tokens: a gateway that says so has accepted our credentials and our topic or project. */
const APNS_TOKEN = '0'.repeat(64)
const FCM_TOKEN = 'pigeonhole-doctor-no-such-device'
const TIMEOUT_MS = 15_000

/** Sends one push to a device that cannot exist through each configured gateway. */
export async function checkGateways(
  { apns, fcm }: Pick<Config, 'apns' | 'fcm'>,
  report: Report,
): Promise<void> {
  const options = { log: { info() {}, warn() {}, error() {} }, clock: systemClock }
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
