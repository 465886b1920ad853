// Steps of a release that neither npm nor changesets does (CONTRIBUTING.md, "Packages"). `node packages/release.ts`:
//
// - `version` gives the server and the changelog the version of the client, after `changeset version`.
// - `check TAG` fails unless the tag is `v` and the version of all packages.
// - `links` sets where each package comes from, as GITHUB_REPOSITORY says.
// - `notes` prints the changelog of the version.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of the published packages. All have the same version. */
const FOLDERS = ['.', 'packages/client', 'packages/emulators']
const UNRELEASED = '## [Unreleased]'

type Manifest = { name: string; version: string } & Record<string, unknown>

/** The repository on GitHub that the workflow runs in. `server`: such as `https://github.com`. */
type Repository = { server: string; name: string }

function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

function writeManifest(root: string, folder: string, manifest: Manifest): void {
  writeFileSync(join(root, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Gives the server the version of the client, and the unreleased part of CHANGELOG.md a heading with it and `date`. */
export function applyVersion(root: string, date: string): void {
  const { version } = readManifest(root, 'packages/client')
  writeManifest(root, '.', { ...readManifest(root, '.'), version })
  const path = join(root, 'CHANGELOG.md')
  const text = readFileSync(path, 'utf8')
  if (!text.includes(`${UNRELEASED}\n`)) throw new Error(`CHANGELOG.md needs the heading "${UNRELEASED}".`)
  if (text.includes(`\n## [${version}]`))
    throw new Error(`CHANGELOG.md already has ${version}. Add a changeset first: npx changeset`)
  writeFileSync(path, text.replace(UNRELEASED, `${UNRELEASED}\n\n## [${version}] - ${date}`))
}

/** Returns the differences between the tag and the versions, one line each. */
export function tagFaults(root: string, tag: string): string[] {
  return FOLDERS.flatMap((folder) => {
    const { name, version } = readManifest(root, folder)
    return tag === `v${version}` ? [] : [`${name} has the version ${version}, and the tag is ${tag}.`]
  })
}

/** Sets `repository`, `homepage` and `bugs` of each package. Provenance needs the repository that the workflow runs in. */
export function setLinks(root: string, { server, name }: Repository): void {
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) throw new Error(`GITHUB_REPOSITORY must be owner/name, not ${name}.`)
  const url = `${server}/${name}`
  for (const folder of FOLDERS) {
    const directory = folder === '.' ? undefined : folder
    writeManifest(root, folder, {
      ...readManifest(root, folder),
      repository: { type: 'git', url: `git+${url}.git`, directory },
      homepage: directory ? `${url}/tree/main/${directory}#readme` : `${url}#readme`,
      bugs: { url: `${url}/issues` },
    })
  }
}

/** Returns the part of CHANGELOG.md about the current version, without its heading. */
export function notesOf(root: string): string {
  const { version } = readManifest(root, '.')
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const section = text.split(/^(?=## \[)/m).find((part) => part.startsWith(`## [${version}]`))
  if (!section) throw new Error(`CHANGELOG.md has no part about ${version}.`)
  return section.slice(section.indexOf('\n')).trim()
}

if (import.meta.main) main(process.argv[2], process.argv[3])

function main(step: string | undefined, tag = ''): void {
  const root = process.cwd()
  const { GITHUB_SERVER_URL = 'https://github.com', GITHUB_REPOSITORY = '' } = process.env
  if (step === 'version') applyVersion(root, new Date().toISOString().slice(0, 10))
  else if (step === 'links') setLinks(root, { server: GITHUB_SERVER_URL, name: GITHUB_REPOSITORY })
  else if (step === 'notes') console.log(notesOf(root))
  else if (step === 'check') {
    const faults = tagFaults(root, tag)
    for (const fault of faults) console.error(fault)
    if (faults.length > 0) process.exitCode = 1
  } else throw new Error('The step must be version, check, links or notes.')
}
