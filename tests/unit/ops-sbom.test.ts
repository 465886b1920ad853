import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sbomOf } from '../../src/cli/sbom.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))

test('the SBOM lists every package of a production install with version, licence and hash, and none of development', () => {
  const lock = read('package-lock.json')
  const { components, ...head } = sbomOf(lock)
  expect(head).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
  const listed = new Set(components.map(({ purl }) => purl))
  expect(listed.size).toBe(components.length)
  const { dependencies, devDependencies } = read('package.json')
  for (const name of Object.keys(dependencies)) {
    const found = lock.packages[`node_modules/${name}`]
    if (!found.link) expect(listed).toContain(`pkg:npm/${name.replace('@', '%40')}@${found.version}`)
  }
  const { version, dev } = lock.packages['node_modules/vitest']
  expect(dev).toBe(true)
  expect('vitest' in devDependencies).toBe(true)
  expect(listed).not.toContain(`pkg:npm/vitest@${version}`)
  for (const { purl, hashes, scope } of components) {
    expect(scope, purl).toMatch(/^(required|optional)$/)
    expect(hashes?.[0], purl).toMatchObject({
      alg: 'SHA-512',
      content: expect.stringMatching(/^[0-9a-f]{128}$/),
    })
  }
})
