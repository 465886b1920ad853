// npm run sbom: prints what a production install brings in as CycloneDX 1.5 JSON, from package-lock.json alone.
// `npm sbom` leaves out packages that a workspace for development needs too (npm 11.19: pg), or refuses.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './build-if-needed.ts'

type Package = {
  name?: string
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  link?: boolean
}

type Lock = { name: string; version: string; packages: Record<string, Package> }

/** The same lockfile always gives the same document, so that two can be compared. */
export function sbomOf(lock: Lock) {
  const components = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, found]) => componentOf(found.name ?? path.split('node_modules/').at(-1)!, found))
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

function componentOf(name: string, { version, license, integrity, optional, devOptional }: Package) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    scope: optional || devOptional ? 'optional' : 'required',
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
