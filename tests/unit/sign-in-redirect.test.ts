import { expect, test } from 'vitest'
import { safeRedirectPath } from '../../src/ui/sign-in/safe-redirect-path.ts'

const SITE = 'https://files.example'

test.each([
  ['/settings', '/settings'],
  ['/files/42?download', '/files/42?download'],
  ['https://files.example/messages', '/messages'],
])('after sign-in, %s on this site leads to %s', (callbackUrl, path) => {
  expect(safeRedirectPath(callbackUrl, SITE)).toBe(path)
})

test.each([
  undefined,
  '',
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/.//evil.example/',
  'https://files.example//evil.example/',
  'http://files.example/settings',
  'https://files.example@evil.example/',
  'javascript:alert(1)',
  'data:text/html,hello',
  '/signin?callbackUrl=/signin',
])('after sign-in, %s leads to the files page', (callbackUrl) => {
  expect(safeRedirectPath(callbackUrl, SITE)).toBe('/')
})
