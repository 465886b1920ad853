// One replica as a process of its own: accepts a broadcast (TOKEN set) or only works, and reports what it took.

import { once } from 'node:events'
import { loadConfig } from '../../src/server/config.ts'
import { build } from '../../src/server/container.ts'
import { pushClient } from '../support/app/push-client.ts'
import type { To } from './broadcast.environment.ts'

export type SenderReport = {
  id: string
  /** From the request to its 202: the planning. */
  acceptMs: number
  seconds: number
  sent: number
  removed: number
  counted: number
  audience: number
  maxRssMb: number
  cpuSeconds: number
}

const services = await build(loadConfig())
const { send, completed } = pushClient(services)
const token = process.env.TOKEN
await services.start()
process.on('SIGTERM', async () => {
  await services.close()
  process.exit(0)
})

if (token !== undefined)
  // Connections, code and heap as they are in a server that has been at work: 10,000 pushes one user at a time.
  for (let n = 0; n < 100; n++) await send(token, { title: 'Warm', body: 'up' })
console.log('ready')
if (token !== undefined) {
  const [line] = (await once(process.stdin, 'data')) as [Buffer]
  const to = JSON.parse(String(line)) as To
  let maxRss = process.memoryUsage.rss()
  const watch = setInterval(() => {
    maxRss = Math.max(maxRss, process.memoryUsage.rss())
  }, 20)
  const cpu = process.cpuUsage()
  const begun = performance.now()
  const { status, data } = await send(token, {
    title: 'Benchmark',
    body: 'To everybody',
    data: { n: 1 },
    ...to,
  })
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(data)}`)
  const acceptMs = performance.now() - begun
  const message = await completed(token, data.id, 1_200_000)
  const seconds = (performance.now() - begun) / 1000
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
