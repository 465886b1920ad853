import { createECDH, randomBytes } from 'node:crypto'
import webPush from 'web-push'
import { encrypt } from '../../src/server/adapters/web-push/encrypt.ts'
import { createVapid } from '../../src/server/adapters/web-push/vapid.ts'
import { systemClock } from '../../src/server/kernel/clock.ts'
import { createVapidKeys } from '../../src/server/kernel/vapid-keys.ts'
import { noiseOfRounds } from './noise.ts'
import type { BenchReport } from './report.ts'

const ROUNDS = 6
const TARGET = 1.5

/** Compares what one push to a browser costs before it is on a stream with `web-push` as shipped. Uses no network. */
export async function run([count = '1000']: string[]): Promise<BenchReport> {
  const pushes = Number(count)
  const receiver = createECDH('prime256v1')
  const p256dh = receiver.generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  const keys = createVapidKeys()
  const subject = 'mailto:ops@example.com'
  const vapid = createVapid({ ...keys, subject }, systemClock)
  const plaintext = Buffer.from(JSON.stringify({ title: 'Your parcel has arrived', body: 'x'.repeat(500) }))
  const endpoint = 'https://push.example.com/push/1'
  const subscription = { endpoint, keys: { p256dh, auth } }
  const ways: Record<string, () => unknown> = {
    'pigeonhole: encryption and VAPID header': () => [
      encrypt(plaintext, { p256dh, auth }),
      vapid.authorization('https://push.example.com'),
    ],
    'web-push: encrypt alone': () => webPush.encrypt(p256dh, auth, plaintext, 'aes128gcm'),
    'web-push as shipped: generateRequestDetails': () =>
      webPush.generateRequestDetails(subscription, plaintext, { vapidDetails: { subject, ...keys } }),
  }
  // Take turns, so that other work on the machine affects all of them equally. The best round counts.
  const best: Record<string, number> = {}
  const own: number[] = []
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, push] of Object.entries(ways)) {
      const micros = cpuMicros(push, round === 0 ? pushes / 10 : pushes)
      if (round > 0 && name === Object.keys(ways)[0]) own.push(micros)
      if (round > 0) best[name] = Math.min(best[name] ?? Infinity, micros)
    }
  const [ours, , shipped] = Object.values(best) as [number, number, number]
  const failed = shipped / ours < TARGET
  return {
    rows: Object.entries(best).map(([what, micros]) => ({
      what,
      'CPU µs per push': Math.round(micros),
      'pushes/s and core': Math.round(1e6 / micros),
      'of web-push as shipped': Math.round((shipped / micros) * 100) / 100,
    })),
    failed,
    noise: noiseOfRounds('pigeonhole', 'CPU', own, (values) => Math.min(...values)),
    notes: [
      `Best of ${ROUNDS} rounds of ${pushes} pushes of ${plaintext.length} bytes to one subscription, on one thread; CPU time of the process.`,
      `Target: ${TARGET} times web-push as shipped: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}

function cpuMicros(push: () => unknown, count: number): number {
  const before = process.cpuUsage()
  for (let n = 0; n < count; n++) push()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
