// npm run sbom: prints the dependencies of the app and the client package, direct and indirect, as CycloneDX 1.5 JSON.
// It reads only package-lock.json. `npm sbom` fails or leaves out packages that a development workspace needs too (pg
// with npm 11.19). The `dev` marks of the lockfile count the emulators' packages as production.

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

/** Returns the same document for the same lockfile, so that documents can be compared. */
export function sbomOf(lock: Lock) {
  const required = reachable(lock, false)
  const components = [...reachable(lock, true)]
    .filter((path) => path.includes('node_modules/') && !lock.packages[path]!.link)
    .map((path) => {
      const found = lock.packages[path]!
      const name = found.name ?? path.split('node_modules/').at(-1)!
      return componentOf(name, found, required.has(path))
    })
    // A package with several copies is required if one of them is.
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

/** Returns the lockfile paths of the root's dependencies, resolved like in Node: nearest node_modules first. */
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

/** Returns undefined for an optional package that the lockfile does not contain. */
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

/** Converts npm's `sha512-BASE64`. */
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
