import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

test('Next sends no telemetry, because build, dev, start and tests read this file first', async () => {
  vi.stubEnv('NEXT_TELEMETRY_DISABLED', undefined)
  await import(new URL('../../next.config.js', import.meta.url).href)
  expect(process.env.NEXT_TELEMETRY_DISABLED).toBe('1')
})
