import { expect, test } from 'vitest'
import { createGatewayHealth } from '../../src/server/telemetry/gateway-health.ts'
import { createHealth } from '../../src/server/telemetry/health.ts'
import { createLog } from '../../src/server/telemetry/log.ts'
import { until } from '../support/until.ts'

const log = createLog('silent')
const fine = async () => {}
const away = async () => {
  throw new Error('away')
}
const mute = () => new Promise<never>(() => {})

test('only what is needed makes a replica unready; what can be missed is named', async () => {
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

test('a store that does not answer does not delay the answer, and is told within seconds', async () => {
  const health = createHealth({ database: fine }, { objectStore: mute }, log)
  await until('it is told', async () => {
    const startedAt = performance.now()
    const { status, degraded } = await health.ready()
    expect(status).toBe('ready')
    expect(performance.now() - startedAt).toBeLessThan(1_500)
    return degraded.includes('objectStore')
  })
})

test('draining is told although all is well', async () => {
  const health = createHealth({ database: fine }, {}, log)
  health.drain()
  expect((await health.ready()).status).toBe('draining')
})

test('a gateway is unavailable after three pushes without an answer, until one is answered', async () => {
  const { onResult, check } = createGatewayHealth()
  onResult('ios', 'retry', 'TIMEOUT', 1)
  onResult('ios', 'retry', 'UNREACHABLE', 1)
  await expect(check('ios')).resolves.toBeUndefined()
  onResult('ios', 'retry', 'TIMEOUT', 1)
  await expect(check('ios')).rejects.toThrow('TIMEOUT')
  await expect(check('android')).resolves.toBeUndefined()
  // It says no, so it is there.
  onResult('ios', 'retry', 'TooManyRequests', 1)
  await expect(check('ios')).resolves.toBeUndefined()
})
