import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'packages/client')
const OUTPUT = join(ROOT, 'public/r')

type RegistryFile = { path: string; type: string }
type Registry = { items: { name: string; files: RegistryFile[] }[] }

/**
 * Writes the components of packages/client/registry.json to public/r, where `npx shadcn add URL` finds them.
 * Each has a file with its source, as defined by https://ui.shadcn.com/schema/registry-item.json. Unchanged files are
 * not rewritten.
 */
export function writeComponentRegistry(): void {
  const text = readFileSync(join(SOURCE, 'registry.json'), 'utf8')
  const registry = JSON.parse(text) as Registry
  mkdirSync(OUTPUT, { recursive: true })
  writeIfChanged('registry.json', text)
  for (const { files, ...item } of registry.items) {
    const schema = { $schema: 'https://ui.shadcn.com/schema/registry-item.json' }
    const contents = files.map(({ path, type }) => ({
      path,
      type,
      content: readFileSync(join(SOURCE, path), 'utf8'),
    }))
    writeIfChanged(`${item.name}.json`, JSON.stringify({ ...schema, ...item, files: contents }, null, 2))
  }
}

function writeIfChanged(name: string, text: string): void {
  const path = join(OUTPUT, name)
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}
