// The load of one measurement, in a process of its own: takes a LoadInput as JSON, prints a LoadOutput.

import autocannon from 'autocannon'
import type { LoadInput, LoadOutput } from './load.ts'

const input = JSON.parse(process.argv[2]!) as LoadInput
await fire(input.warmUpSeconds)
const cpuBefore = await cpuSeconds()
const { latencies, seconds, refused, firstRefusal } = await fire(input.seconds)
const cpuAfter = await cpuSeconds()
latencies.sort((a, b) => a - b)
const output: LoadOutput = {
  perSecond: latencies.length / seconds,
  p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  answers: latencies.length,
  refused,
  firstRefusal,
  cpuMicrosPerCall: latencies.length > 0 ? ((cpuAfter - cpuBefore) * 1e6) / latencies.length : 0,
}
console.log(JSON.stringify(output))

/** Every connection sends its own request again and again, the next when the last is answered. */
async function fire(seconds: number) {
  const latencies: number[] = []
  let refused = 0
  let firstRefusal: string | undefined
  let next = 0
  const begun = performance.now()
  const done = Promise.withResolvers<autocannon.Result>()
  const options: autocannon.Options = {
    url: input.origin,
    connections: input.connections,
    duration: seconds,
    setupClient(client) {
      const call = input.calls[next++ % input.calls.length]!
      client.setRequests([
        {
          ...call,
          onResponse(status, body) {
            if (status === 200) return
            refused += 1
            firstRefusal ??= `${status} ${body.slice(0, 300)}`
          },
        },
      ])
    },
  }
  const instance = autocannon(options, (error, result) => (error ? done.reject(error) : done.resolve(result)))
  // Its own figures are whole milliseconds.
  instance.on('response', (_client, _status, _bytes, responseMs) => latencies.push(responseMs))
  const { errors } = await done.promise
  if (errors > 0) firstRefusal ??= `${errors} connection errors or timeouts`
  return { latencies, refused: refused + errors, firstRefusal, seconds: (performance.now() - begun) / 1000 }
}

/** User and system time of the server's process so far; 0 where there is no /proc. */
async function cpuSeconds(): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const stat = await readFile(`/proc/${input.serverPid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Fields 14 and 15 of proc(5), in ticks of 10 ms.
  return stat === '' ? 0 : (Number(fields[11]) + Number(fields[12])) / 100
}
