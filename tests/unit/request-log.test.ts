import { expect, test } from 'vitest'
import { redactPath } from '../../src/cli/serve/observe-requests.ts'

const TOKEN = 'aZ0_-'.repeat(9).slice(0, 43)
const FILE = '/files/019aa6f0-1b2c-7d3e-8f40-5a6b7c8d9e0f'

test.each([
  [`/s/${TOKEN}`, '/s/...'],
  [`/s/${TOKEN}/download`, '/s/...'],
  [`//s/${TOKEN}`, '/s/...'],
  [`///S/${TOKEN}/`, '/s/...'],
  [`/%73/${TOKEN}`, '/s/...'],
  [`//s/%61${TOKEN.slice(1)}`, '/s/...'],
  [`/de/s/${TOKEN}`, '/de/s/...'],
  [`/files/%61${TOKEN.slice(1)}`, '/files/...'],
  [FILE, FILE],
  [
    '/api/trpc/upload.requestUploadUrl,upload.confirmUpload',
    '/api/trpc/upload.requestUploadUrl,upload.confirmUpload',
  ],
  ['/gr%C3%BC%C3%9Fe%25', '/gr%C3%BC%C3%9Fe%25'],
])('the log shows %s as %s, without the token of a shared link', (path, logged) => {
  expect(redactPath(path)).toBe(logged)
})
