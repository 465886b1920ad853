import { expect, test } from 'vitest'
import { preflight, withCors } from '../../src/server/api/http/cors.ts'

const ORIGINS = ['https://app.example.org']
const from = (origin: string) => new Request('https://x.example/api/trpc/a', { headers: { origin } })

test('a page of CORS_ORIGINS can call with credentials and read the response', () => {
  const { headers } = withCors(from('https://app.example.org'), Response.json({}), ORIGINS)
  expect(headers.get('access-control-allow-origin')).toBe('https://app.example.org')
  expect(headers.get('access-control-allow-credentials')).toBe('true')
  expect(headers.get('vary')).toContain('origin')
  const asked = preflight(from('https://app.example.org'), ORIGINS)
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-headers')).toContain('authorization')
  expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
})

test.each(['https://evil.example', 'http://app.example.org', 'null'])('%s gets no permission', (origin) => {
  for (const response of [
    withCors(from(origin), Response.json({}), ORIGINS),
    preflight(from(origin), ORIGINS),
  ]) {
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(response.headers.get('vary')).toContain('origin')
  }
})
