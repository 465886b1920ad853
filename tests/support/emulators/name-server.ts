// A name server over UDP that this process uses instead of the system's. Tests change its responses.

import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'
import { vi } from 'vitest'

const HEADER_BYTES = 12
const RECURSIVE_ANSWER = 0x8180
const POINTER_TO_QUESTION_NAME = 0xc00c
const CLASS_INTERNET = 1
const A = 1
const AAAA = 28

/** Public but not routed: 6bone's network, which was returned in 2006. */
export const UNROUTABLE_ADDRESS = '3ffe::1'

/** While it runs, new resolvers use it. It returns only the given address for a name. */
export async function startNameServer() {
  const addresses = new Map<string, string>()
  const asked: string[] = []
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (query, { port, address }) => {
    const { name, type, question } = read(query)
    asked.push(`${type === AAAA ? 'AAAA' : 'A'} ${name}`)
    socket.send(answer(query, question, type, addresses.get(name)), port, address)
  })

  const servers = [`127.0.0.1:${socket.address().port}`]
  const redirected = new WeakSet<Resolver>()
  const hooks = (['resolve4', 'resolve6'] as const).map((method) => {
    const resolve = Resolver.prototype[method] as (name: string) => Promise<string[]>
    return vi.spyOn(Resolver.prototype, method).mockImplementation(function (this: Resolver, name: string) {
      if (!redirected.has(this)) this.setServers(servers)
      redirected.add(this)
      return resolve.call(this, name)
    } as never)
  })

  return {
    asked,
    /** Changes the address from now on. */
    answer: (name: string, address: string) => void addresses.set(name, address),
    async [Symbol.asyncDispose]() {
      for (const hook of hooks) hook.mockRestore()
      socket.close()
      await once(socket, 'close')
    },
  }
}

function read(query: Buffer) {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1)
  return { name: labels.join('.').toLowerCase(), type, question: query.subarray(HEADER_BYTES, at + 5) }
}

function answer(query: Buffer, question: Buffer, type: number, address: string | undefined): Buffer {
  const data = address ? Buffer.from(ipaddr.parse(address).toByteArray()) : Buffer.alloc(0)
  const isOfType = address?.includes(':') ? type === AAAA : type === A
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(RECURSIVE_ANSWER, 2)
  header.writeUInt16BE(1, 4)
  if (!address || !isOfType) return Buffer.concat([header, question])
  header.writeUInt16BE(1, 6)
  const record = Buffer.alloc(12)
  record.writeUInt16BE(POINTER_TO_QUESTION_NAME, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(CLASS_INTERNET, 4)
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([header, question, record, data])
}
