// The licenses of a production install require attribution at most.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ALLOWED = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
])
/** Licenses reviewed by hand: what they are and why they are acceptable. */
const KNOWN: Record<string, string> = {
  'caniuse-lite': 'CC-BY-4.0: data that only the build reads',
  limiter: 'MIT, in an old form of package.json and in LICENSE.txt',
}

type Package = {
  license?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  peer?: boolean
  link?: boolean
}

test('the packages of `npm ci --omit=dev --omit=optional` have allowed licenses', () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8'))
  const installed = Object.entries(lock.packages as Record<string, Package>).filter(
    ([path, p]) => path !== '' && !p.link && !p.dev && !p.optional && !p.devOptional && !p.peer,
  )
  expect(installed.length).toBeGreaterThan(100)
  const others = installed
    .map(([path, { license }]) => ({ name: path.split('node_modules/').at(-1)!, license }))
    .filter(({ name, license }) => !ALLOWED.has(license ?? '') && !(name in KNOWN))
  expect(others).toEqual([])
})
