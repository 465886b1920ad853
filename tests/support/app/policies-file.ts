import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Writes a file for UPLOAD_POLICIES_FILE. */
export function writePolicies(policies: object) {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-policies-'))
  const path = join(dir, 'policies.json')
  writeFileSync(path, JSON.stringify(policies))
  return { path, remove: () => rmSync(dir, { recursive: true, force: true }) }
}
