import { expect, test } from 'vitest'
import { createGatewayHealth } from '../../src/server/adapters/telemetry/gateway-health.ts'
import { createHealth } from '../../src/server/adapters/telemetry/health.ts'
import { createLog } from '../../src/server/adapters/telemetry/log.ts'
import { until } from '../support/until.ts'

const log = createLog('silent')
const fine = async () => {}
const away = async () => {
  throw new Error('away')
}
const silent = () => new Promise<never>(() => {})

test('only required services make a replica unready; unavailable optional ones are listed', async () => {
  const needy = createHealth({ database: away }, { objectStore: fine }, log)
  expect(await needy.ready()).toEqual({
    status: 'unavailable',
    checks: { database: 'failed', objectStore: 'ok' },
    degraded: [],
  })
  const degraded = createHealth({ database: fine }, { objectStore: away, apns: fine }, log)
  expect(await degraded.ready()).toEqual({
    status: 'ready',
    checks: { database: 'ok', objectStore: 'failed', apns: 'ok' },
    degraded: ['objectStore'],
  })
})

test('a store that does not respond does not delay the response, and is reported within seconds', async () => {
  const health = createHealth({ database: fine }, { objectStore: silent }, log)
  // The check has not ended yet.
  expect(await health.ready()).toMatchObject({ status: 'ready', degraded: [] })
  await until('the draining is reported', async () => {
    const { status, degraded } = await health.ready()
    expect(status).toBe('ready')
    return degraded.includes('objectStore')
  })
})

test('draining is reported even if everything works', async () => {
  const health = createHealth({ database: fine }, {}, log)
  health.drain()
  expect((await health.ready()).status).toBe('draining')
})

test('a gateway is unavailable after three pushes without a response, until one gets a response', async () => {
  const { onResult, check } = createGatewayHealth()
  onResult('default', 'ios', 'retry', 'TIMEOUT', 1)
  onResult('default', 'ios', 'retry', 'UNREACHABLE', 1)
  await expect(check('default', 'ios')).resolves.toBeUndefined()
  onResult('default', 'ios', 'retry', 'TIMEOUT', 1)
  await expect(check('default', 'ios')).rejects.toThrow('TIMEOUT')
  await expect(check('default', 'android')).resolves.toBeUndefined()
  await expect(check('shop', 'ios')).resolves.toBeUndefined()
  // A rejection shows that it is available.
  onResult('default', 'ios', 'retry', 'TooManyRequests', 1)
  await expect(check('default', 'ios')).resolves.toBeUndefined()
})
