// What a release changes: versions, the changelog, and where the packages say they come from.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyVersion, notesOf, setLinks, tagFaults } from '../../../packages/release.ts'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { readManifest, run } from '../../support/process/packed.ts'

const FOLDERS = ['.', 'packages/client', 'packages/emulators']

let root: string
/** Copies what a release reads. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pigeonhole-release-'))
  for (const folder of FOLDERS) {
    mkdirSync(join(root, folder), { recursive: true })
    cpSync(join(ROOT, folder, 'package.json'), join(root, folder, 'package.json'))
  }
  for (const name of ['CHANGELOG.md', 'package-lock.json', '.changeset/config.json'])
    cpSync(join(ROOT, name), join(root, name))
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
})
afterEach(() => rmSync(root, { recursive: true }))

const manifests = () => FOLDERS.map((folder) => readManifest(join(root, folder)) as Record<string, unknown>)
const versions = () => manifests().map(({ version }) => version)

describe('npm run release:version', () => {
  test('gives all packages the version of the changesets, and the changelog its heading', () => {
    run('git', ['init', '-q', '.'], root)
    writeFileSync(
      join(root, '.changeset/a.md'),
      '---\n"@pigeonhole/client": patch\n---\n\nFixes something.\n',
    )
    writeFileSync(
      join(root, '.changeset/b.md'),
      '---\n"@pigeonhole/emulators": minor\n---\n\nAdds something.\n',
    )
    run('changeset', ['version'], root)
    applyVersion(root, '2026-12-01')
    expect(versions()).toEqual(['0.2.0', '0.2.0', '0.2.0'])
    const [server] = manifests()
    expect(server).toMatchObject({
      dependencies: { '@pigeonhole/client': '0.2.0' },
      devDependencies: { '@pigeonhole/emulators': '0.2.0' },
    })
    expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(
      '\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### ',
    )
    expect(notesOf(root)).toMatch(/^### Added\n/)
    expect(notesOf(root)).not.toContain('## [0.1.0]')
    expect(tagFaults(root, 'v0.2.0')).toEqual([])
  })

  test('without a changeset fails instead of publishing a version twice', () => {
    expect(() => applyVersion(root, '2026-12-01')).toThrow(
      'CHANGELOG.md already has 0.1.0. Add a changeset first',
    )
  })
})

test('a tag must be the version of every package', () => {
  expect(tagFaults(root, 'v0.1.0')).toEqual([])
  expect(tagFaults(root, 'v0.1.1')).toEqual([
    'pigeonhole has the version 0.1.0, and the tag is v0.1.1.',
    '@pigeonhole/client has the version 0.1.0, and the tag is v0.1.1.',
    '@pigeonhole/emulators has the version 0.1.0, and the tag is v0.1.1.',
  ])
})

test('repository, homepage and bugs are those of the repository that publishes', () => {
  setLinks(root, { server: 'https://github.com', name: 'someone/fork' })
  const [server, client] = manifests()
  expect(server).toMatchObject({
    repository: { type: 'git', url: 'git+https://github.com/someone/fork.git' },
    homepage: 'https://github.com/someone/fork#readme',
    bugs: { url: 'https://github.com/someone/fork/issues' },
  })
  expect(client).toMatchObject({
    repository: { directory: 'packages/client' },
    homepage: 'https://github.com/someone/fork/tree/main/packages/client#readme',
  })
  expect(() => setLinks(root, { server: 'https://github.com', name: '' })).toThrow('GITHUB_REPOSITORY')
})

test.each(FOLDERS)('%s has what a published package needs', (folder) => {
  const manifest = readManifest(join(ROOT, folder)) as Record<string, unknown>
  expect(manifest).toMatchObject({
    license: 'MIT',
    files: ['dist'],
    description: expect.any(String),
    publishConfig: { access: 'public', provenance: true },
  })
  expect(manifest.private).toBeUndefined()
  for (const file of ['LICENSE', 'README.md'])
    expect(readFileSync(join(ROOT, folder, file), 'utf8')).not.toBe('')
})
