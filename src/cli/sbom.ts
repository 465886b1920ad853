// npm run sbom: prints what ships as CycloneDX 1.5 JSON, from package-lock.json alone: all that the app and the
// client package depend on, directly or not. `npm sbom` leaves out packages that a workspace for development needs
// too (npm 11.19: pg), or refuses; the lockfile's own `dev` marks count the emulators' packages as production.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build-if-needed.ts'

type Package = {
  name?: string
  version: string
  license?: string
  integrity?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

type Lock = { name: string; version: string; packages: Record<string, Package> }

/** The same lockfile always gives the same document, so that two can be compared. */
export function sbomOf(lock: Lock) {
  const required = reachable(lock, false)
  const components = [...reachable(lock, true)]
    .filter((path) => path.includes('node_modules/') && !lock.packages[path]!.link)
    .map((path) => {
      const found = lock.packages[path]!
      const name = found.name ?? path.split('node_modules/').at(-1)!
      return componentOf(name, found, required.has(path))
    })
    // A package that is there twice is required if one of its copies is.
    .sort((a, b) => (a.scope < b.scope ? -1 : 1))
  const byRef = new Map(components.map((one) => [one['bom-ref'], one]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': 'app', name: lock.name, version: lock.version },
    },
    components: [...byRef.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  }
}

/** The lockfile's paths of what the root depends on, looked up as Node does: nearest node_modules first. */
function reachable({ packages }: Lock, withOptional: boolean): Set<string> {
  const found = new Set<string>()
  const waiting = ['']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { link, resolved, ...entry } = packages[path]!
    if (found.has(path)) continue
    found.add(path)
    if (link) {
      waiting.push(resolved!)
      continue
    }
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (name) => !entry.peerDependenciesMeta?.[name]?.optional,
    )
    const optional = Object.keys(entry.optionalDependencies ?? {})
    const names = [
      ...Object.keys(entry.dependencies ?? {}).filter((name) => !optional.includes(name)),
      ...peers,
      ...(withOptional ? optional : []),
    ]
    waiting.push(...names.flatMap((name) => locate(packages, path, name) ?? []))
  }
  return found
}

/** Not there: an optional package of another platform's lockfile. */
function locate(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}

function componentOf(name: string, { version, license, integrity }: Package, required: boolean) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    scope: required ? 'required' : 'optional',
    ...(license !== undefined && { licenses: [{ license: { name: license } }] }),
    ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
  }
}

/** `sha512-BASE64`, as npm writes it. */
function hashOf(integrity: string) {
  const [algorithm = '', base64 = ''] = integrity.split('-')
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(base64, 'base64').toString('hex'),
  }
}

if (import.meta.main)
  console.log(
    JSON.stringify(sbomOf(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))), null, 2),
  )
