// An attacker with 100 connections, in a separate process: takes an AttackInput as JSON, prints the statuses of its
// responses with their counts.

import { randomBytes } from 'node:crypto'
import autocannon from 'autocannon'

export type AttackInput = {
  origin: string
  method: string
  path: string
  /** Prefix of a random bearer token, different in every request. Default: no token. */
  tokenPrefix?: string
  /** Each `RANDOM` becomes a random word. */
  body?: string
  headers: Record<string, string>
  connections: number
  seconds: number
}

const input = JSON.parse(process.argv[2]!) as AttackInput
const word = () => randomBytes(32).toString('base64url')
const statuses: Record<string, number> = {}
const instance = autocannon({
  url: input.origin,
  connections: input.connections,
  duration: input.seconds,
  timeout: 60,
  setupClient: (client) =>
    client.setRequests([
      {
        method: input.method as 'GET',
        path: input.path,
        setupRequest: (request) => ({
          ...request,
          body: input.body?.replaceAll('RANDOM', word()),
          headers: {
            ...input.headers,
            ...(input.tokenPrefix !== undefined && { authorization: `Bearer ${input.tokenPrefix}${word()}` }),
          },
        }),
        onResponse: (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1
        },
      },
    ]),
})
await instance
console.log(JSON.stringify(statuses))
