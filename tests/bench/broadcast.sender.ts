// One replica in a separate process: accepts a broadcast (if TOKEN is set) or only sends, and reports its cost.

import { once } from 'node:events'
import { loadConfig } from '../../src/server/config/config.ts'
import { buildServices } from '../../src/server/wiring/build-services.ts'
import { pushClient } from '../support/app/push-client.ts'

/** Recipients of the message. */
export type To = { all: true } | { topic: string }

export type SenderReport = {
  id: string
  /** Time from the request to its 202, for planning. */
  acceptMs: number
  seconds: number
  sent: number
  removed: number
  counted: number
  audience: number
  maxRssMb: number
  cpuSeconds: number
}

const services = await buildServices(loadConfig())
const { send, completed } = pushClient(services)
const token = process.env.TOKEN
await services.start()
process.on('SIGTERM', async () => {
  await services.close()
  process.exit(0)
})

if (token !== undefined)
  // Warm up connections, code and heap like those of a running server: 10,000 pushes to one user at a time.
  for (let n = 0; n < 100; n++) await send(token, { title: 'Warm', body: 'up' })
console.log('ready')
if (token !== undefined) {
  const [line] = (await once(process.stdin, 'data')) as [Buffer]
  const to = JSON.parse(String(line)) as To
  let maxRss = process.memoryUsage.rss()
  const watch = setInterval(() => {
    maxRss = Math.max(maxRss, process.memoryUsage.rss())
  }, 50)
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const { status, data } = await send(token, {
    title: 'Benchmark',
    body: 'To everybody',
    data: { n: 1 },
    ...to,
  })
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(data)}`)
  const acceptMs = performance.now() - startedAt
  const message = await completed(token, data.id, 1_200_000)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(watch)
  const report: SenderReport = {
    id: data.id,
    acceptMs,
    seconds,
    sent: message.sent,
    counted: message.sent + message.failed + message.removed,
    removed: message.removed,
    audience: message.audience.ios + message.audience.android + message.audience.web,
    maxRssMb: maxRss / 2 ** 20,
    cpuSeconds: (user + system) / 1e6,
  }
  await services.close()
  console.log(JSON.stringify(report))
  process.exit(0)
}
