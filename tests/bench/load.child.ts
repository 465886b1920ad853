// The load of one measurement, in a separate process: takes a LoadInput as JSON, prints a LoadOutput.

import autocannon from 'autocannon'
import { cpuSeconds, type LoadInput, type LoadOutput } from './load.ts'

const input = JSON.parse(process.argv[2]!) as LoadInput
await fire(input.warmUpSeconds)
const cpuBefore = cpuSeconds([input.serverPid])
const othersBefore = cpuOfOthers()
const { latencies, seconds, rejected, firstRejection } = await fire(input.seconds)
const perCall = (seconds: number) => (latencies.length > 0 ? (seconds * 1e6) / latencies.length : 0)
const cpuPerCall = perCall(cpuSeconds([input.serverPid]) - cpuBefore)
const othersAfter = cpuOfOthers()
latencies.sort((a, b) => a - b)
const output: LoadOutput = {
  perSecond: latencies.length / seconds,
  p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
  p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
  answers: latencies.length,
  rejected,
  firstRejection,
  cpuMicrosPerCall: cpuPerCall,
  cpuMicrosOf: Object.fromEntries(
    Object.entries(othersAfter).map(([name, after]) => [name, perCall(after - othersBefore[name]!)]),
  ),
}
console.log(JSON.stringify(output))

/** Repeats each connection's own request: the next one starts when the last has its response. */
async function fire(seconds: number) {
  const latencies: number[] = []
  let rejected = 0
  let firstRejection: string | undefined
  let next = 0
  const startedAt = performance.now()
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
            if (status >= 200 && status < 300) return
            rejected += 1
            firstRejection ??= `${status} ${body.slice(0, 300)}`
          },
        },
      ])
    },
  }
  const instance = autocannon(options, (error, result) => (error ? done.reject(error) : done.resolve(result)))
  // Measure here, because autocannon's figures are whole milliseconds.
  instance.on('response', (_client, _status, _bytes, responseMs) => latencies.push(responseMs))
  const { errors } = await done.promise
  if (errors > 0) firstRejection ??= `${errors} connection errors or timeouts`
  return {
    latencies,
    rejected: rejected + errors,
    firstRejection,
    seconds: (performance.now() - startedAt) / 1000,
  }
}

function cpuOfOthers(): Record<string, number> {
  const { user, system } = process.cpuUsage()
  const others = Object.entries(input.others ?? {}).map(([name, pids]) => [name, cpuSeconds(pids)] as const)
  return { client: (user + system) / 1e6, ...Object.fromEntries(others) }
}
