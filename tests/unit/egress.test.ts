// Requests to hosts named by others reach only public addresses: the check applies to the address of the connection.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Address,
  createAddressPolicy,
  type Resolve,
} from '../../src/server/adapters/egress/address-policy.ts'
import { createEgressAgent } from '../../src/server/adapters/egress/egress-agent.ts'
import { isPublicAddress } from '../../src/server/adapters/egress/public-address.ts'

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.0.1',
    '198.17.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test.each([
    ['0.0.0.0', 'this host'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local: AWS, GCP, Azure metadata'],
    ['169.254.170.2', 'link-local: ECS credentials'],
    ['100.64.0.1', 'shared by carriers'],
    ['100.100.100.200', 'shared by carriers: Alibaba metadata'],
    ['192.0.0.192', 'reserved: Oracle metadata'],
    ['168.63.129.16', 'Azure platform'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['198.18.0.1', 'benchmarks'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:a9fe:a9fe', 'mapped metadata'],
    ['::ffff:0:10.0.0.1', 'translated'],
    ['64:ff9b::a00:1', 'NAT64 of 10.0.0.1'],
    ['64:ff9b::a9fe:a9fe', 'NAT64 of the metadata address'],
    ['64:ff9b:1::101:101', 'NAT64 of a local network'],
    ['2002:a00:1::1', '6to4 of 10.0.0.1'],
    ['2002:101:101::1', '6to4'],
    ['2001:0:101:101::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local: AWS metadata'],
    ['ff02::1', 'multicast'],
    ['100::1', 'discard'],
    ['5f00::1', 'segment routing'],
    ['4000::1', 'not assigned'],
    ['localhost', 'a host name'],
    ['', 'nothing'],
  ])('%s is not public (%s)', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('egress agent', () => {
  const received: string[] = []
  const server = createServer((req, res) => {
    received.push(req.headers.host!)
    res.end('inside')
  })
  let port: number
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise((done) => server.close(done)))

  const agentOf = (options: { allowPrivate: boolean; resolve?: Resolve }) =>
    createEgressAgent(createAddressPolicy(options), { timeoutMs: 2_000 })

  async function get(url: string, options: { allowPrivate: boolean; resolve?: Resolve }): Promise<string> {
    const dispatcher = agentOf(options)
    try {
      const { body } = await request(url, { dispatcher })
      return await body.text()
    } finally {
      await dispatcher.destroy()
    }
  }

  test.each([
    'http://127.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    // The URL parser turns these into 127.0.0.1.
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://0177.0.0.1',
  ])('rejects %s before connecting', async (origin) => {
    await expect(get(`${origin}:${port}/`, { allowPrivate: false })).rejects.toThrow(
      'has an address that is not public',
    )
    expect(received).toEqual([])
  })

  const resolvesTo =
    (...answers: Address[][]): Resolve =>
    async () =>
      answers.length > 1 ? answers.shift()! : answers[0]!
  const loopback: Address = { address: '127.0.0.1', family: 4 }
  const somewhere: Address = { address: '1.1.1.1', family: 4 }

  test.each([
    ['only private', [loopback]],
    ['public first, then private', [somewhere, loopback]],
    ['private first, then public', [loopback, somewhere]],
  ])('rejects a name whose addresses are %s', async (_, addresses) => {
    const resolve = resolvesTo(addresses)
    await expect(get(`http://example.test:${port}/`, { allowPrivate: false, resolve })).rejects.toThrow(
      'example.test has an address that is not public',
    )
    expect(received).toEqual([])
  })

  test('connects to the address that was checked, with one lookup', async () => {
    let asked = 0
    const resolve: Resolve = async () => (asked++ === 0 ? [somewhere] : [loopback])
    const { lookup } = createAddressPolicy({ allowPrivate: false, resolve })
    const addresses = await new Promise((done) => {
      lookup('example.test', { all: true }, (_, found) => done(found))
    })
    expect(addresses).toEqual([somewhere])
    expect(asked).toBe(1)
    // The next connection resolves the name again and is rejected.
    await expect(get(`http://example.test:${port}/`, { allowPrivate: false, resolve })).rejects.toThrow(
      'not public',
    )
    expect(received).toEqual([])
  })

  test('reaches private addresses when they are allowed, and keeps the name in Host', async () => {
    const resolve = resolvesTo([loopback])
    expect(await get(`http://example.test:${port}/`, { allowPrivate: true, resolve })).toBe('inside')
    expect(received.splice(0)).toEqual([`example.test:${port}`])
    expect(await get(`http://localhost:${port}/`, { allowPrivate: true })).toBe('inside')
    expect(received.splice(0)).toEqual([`localhost:${port}`])
  })

  test('reports a name without an address', async () => {
    const resolve = resolvesTo([])
    await expect(get('http://example.test/', { allowPrivate: false, resolve })).rejects.toThrow(
      'example.test has no address',
    )
  })
})
