// Everything that comments, tests and documents refer to exists: files, folders, links, anchors, commands, decision
// records, sections of the specification, and the names in the glossary.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, matchesGlob, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
/** Folders that are not ours or that a command creates. */
const SKIPPED = new Set(['node_modules', '.git', '.next', '.data', 'dist', 'generated', 'coverage'])
const THIS = 'tests/unit/references.test.ts'

/** Every file of the repository by its path from the root. */
const files = walk('')
/** Every file and folder. */
const paths = new Set(files.flatMap((file) => [file, ...parents(file)]))
const names = new Set([...paths].map((path) => basename(path)))
const scripts = scriptsOf('package.json')
/** Numbers of the specification's headings. */
const sections = new Set([...read('docs/spec.md').matchAll(/^#+ (\d+(?:\.\d+)?)/gm)].map((m) => m[1]))
const decisions = files.flatMap((file) => /^docs\/decisions\/(\d{3})-/.exec(file)?.[1] ?? [])

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(path)
    return [path]
  })
}

function parents(file: string): string[] {
  const folder = dirname(file)
  return folder === '.' ? [] : [folder, ...parents(folder)]
}

function scriptsOf(manifest: string): Set<string> {
  return new Set(Object.keys(JSON.parse(read(manifest)).scripts))
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Returns the comments of a file, or a document without the targets of its links, which are checked separately. */
function commentsOf(file: string, text: string): string {
  const all = (pattern: RegExp) => [...text.matchAll(pattern)].map((m) => m[0]).join('\n')
  if (file.endsWith('.md')) return text.replace(/\]\([^)\s]*\)/g, ']')
  if (/\.(tsx?|mjs|js|css|prisma)$/.test(file)) return all(/\/\*[\s\S]*?\*\/|(?<![:'"`\w/])\/\/.*/g)
  if (file.endsWith('.sql')) return all(/--.*/g)
  if (/\.ya?ml$|(^|\/)(Dockerfile|\.env\.example|\.gitignore|run)$/.test(file)) return all(/(?<=^|\s)#.*/gm)
  return ''
}

/** Returns the anchors of the headings, as GitHub creates them. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, title] of markdown.replace(/```[\s\S]*?```/g, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = title!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const slug = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

/** A name in a path: with shell patterns, or in the brackets of a Next route. */
const SEGMENT = String.raw`(?:(?:[\w@*-]|\{[\w,./-]+\}|\.(?=[\w{*]))+|\[+(?:\.{3})?\w+\]+|\([\w-]+\))`
const PATH = `${SEGMENT}(?:/${SEGMENT})*`
const FOLDERS = String.raw`(?:src|packages|prisma|tests|docs|public|\.ci|\.github)`
const ROOTED = new RegExp(String.raw`(?<![\w./@$}*-])${FOLDERS}/${PATH}`, 'g')
const SOURCE_FILE = new RegExp(
  String.raw`(?<![\w./@$}*:\\-])${PATH}\.(?:tsx?|mjs|prisma|md)(?![\w-]|\.\w|\()`,
  'g',
)
const DOCUMENT = /(?<![\w./-])[A-Z][A-Z_]+\.md\b/g
const MACHINE = /(?<![\w.}/*-])\/(?:root|home|Users|work|mnt)\/[\w.-]+|\b[A-Z]:\\Users\\/g
/** Placeholders for any name, and files that a command creates. */
const PLACEHOLDER = /\b(?:NAME|FILE|NNN|generated)\b/

/** Returns the broken references of a file. */
function dangling(file: string, text: string): string[] {
  const comments = commentsOf(file, text)
  const wrong: string[] = []
  const all = (pattern: RegExp) => [...comments.matchAll(pattern)].map((m) => m[0])
  // Tests also read files by their path. Without an extension, it can be the name of anything.
  const opened = /(^|\/)tests\//.test(file) ? [...text.matchAll(ROOTED)].map((m) => m[0]).filter(extname) : []

  for (const path of new Set([...all(ROOTED), ...all(SOURCE_FILE), ...opened]))
    if (!PLACEHOLDER.test(path) && !isThere(path, file)) wrong.push(`no such path: ${path}`)
  for (const found of all(DOCUMENT)) if (!names.has(found)) wrong.push(`no such document: ${found}`)
  for (const found of all(MACHINE)) wrong.push(`a path of some machine: ${found}`)
  for (const [, name] of comments.matchAll(/\bnpm run (?:-s )?([a-z](?:[a-z:-]*[a-z])?)/g))
    if (!scripts.has(name!) && !ownScripts(file).has(name!)) wrong.push(`no such command: npm run ${name}`)
  for (const [, number] of comments.matchAll(/\bdecisions? (\d{3})\b/gi))
    if (!decisions.includes(number!)) wrong.push(`no such decision record: ${number}`)
  for (const [, list] of comments.matchAll(/docs\/spec\.md,? sections? ([\d., and]*\d)/g))
    for (const section of list!.match(/\d+(?:\.\d+)?/g)!)
      if (!sections.has(section)) wrong.push(`no such section of docs/spec.md: ${section}`)
  if (file.endsWith('.md')) wrong.push(...brokenLinks(file, text))
  return wrong
}

/** Returns an example's own commands, which its README names. */
function ownScripts(file: string): Set<string> {
  const manifest = `${/^examples\/[^/]+/.exec(file)?.[0]}/package.json`
  return paths.has(manifest) ? scriptsOf(manifest) : new Set()
}

/**
 * From the root, the file's own folder or package, or src/ and its server; a bare name anywhere. `*` and `{a,b}`
 * as in a shell.
 */
function isThere(path: string, file: string): boolean {
  if (!path.includes('/') && names.has(path)) return true
  const owner = /^packages\/[^/]+/.exec(file)?.[0]
  const bases = ['.', dirname(file), ...(owner ? [owner, `${owner}/src`] : []), 'src', 'src/server']
  return bases.some((base) => {
    const full = normalize(`${base}/${path}`)
    if (paths.has(full)) return true
    return /[*{]/.test(full) && [...paths].some((known) => matchesGlob(known, full))
  })
}

function brokenLinks(file: string, text: string): string[] {
  const plain = text.replace(/```[\s\S]*?```/g, '')
  return [...plain.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => {
    if (/^[a-z]+:/.test(link!)) return []
    const [path, anchor] = link!.split('#') as [string, string?]
    const target = path === '' ? file : normalize(`${dirname(file)}/${path}`).replace(/\/$/, '')
    if (!paths.has(target)) return [`no such file: ${link}`]
    if (anchor !== undefined && !anchorsOf(read(target)).has(anchor)) return [`no such anchor: ${link}`]
    return []
  })
}

describe('references', () => {
  test('of comments, tests and documents are valid', () => {
    const wrong = files
      .filter((file) => file !== THIS && extname(file) !== '.png' && !/-lock\.json$/.test(file))
      .flatMap((file) => dangling(file, read(file)).map((what) => `${file}: ${what}`))
    expect(wrong, 'change the text: what it names was renamed or removed').toEqual([])
  })

  test('the glossary names files that contain its terms', () => {
    const rows = [...read('docs/glossary.md').matchAll(/^\| .+ \| .+ \| (.+) \|$/gm)].map((m) => m[1]!)
    const wrong = rows.flatMap((cell) => {
      const [file, ...symbols] = [...cell.matchAll(/`([^`]+)`/g)].map((m) => m[1]!)
      if (file === undefined || !files.includes(file)) return file ? [`${file}: no such file`] : []
      return symbols
        .filter((symbol) => !new RegExp(`\\b${symbol}\\b`).test(read(file)))
        .map((symbol) => `${file}: has no ${symbol}`)
    })
    expect(rows.length).toBeGreaterThan(20)
    expect(wrong, 'change the text: what it names was renamed or removed').toEqual([])
  })
})

describe('the finder', () => {
  test.each([
    ['docs/api.md', 'see `src/server/gone.ts`', 'no such path: src/server/gone.ts'],
    ['docs/api.md', 'see tests/integration/gone', 'no such path: tests/integration/gone'],
    ['docs/api.md', 'all of `src/server/*/gone.ts`.', 'no such path: src/server/*/gone.ts'],
    ['docs/api.md', 'as `upload/gone.ts` says', 'no such path: upload/gone.ts'],
    ['docs/api.md', '[page](gone.md)', 'no such file: gone.md'],
    ['docs/api.md', '[page](spec.md#gone)', 'no such anchor: spec.md#gone'],
    ['docs/api.md', '[above](#gone)', 'no such anchor: #gone'],
    ['docs/api.md', 'npm run gone', 'no such command: npm run gone'],
    ['src/server/kernel/errors.ts', '// as SPECIFICATION.md has it', 'no such document: SPECIFICATION.md'],
    ['src/server/kernel/errors.ts', '/** docs/spec.md section 12 */', 'no such section of docs/spec.md: 12'],
    ['src/server/kernel/errors.ts', 'const a = 1 // decision 999', 'no such decision record: 999'],
    ['compose.yaml', '# of /home/me/project', 'a path of some machine: /home/me'],
  ])('%s: %s', (file, text, complaint) => {
    expect(dangling(file, text)).toContain(complaint)
  })

  test.each([
    ['docs/api.md', '[spec](spec.md#41-file-upload-procedures), `src/server/kernel/errors.ts`, tests/unit.'],
    ['docs/api.md', '`tests/integration/http/spec-*.test.ts`, `src/{app,ui}`, (docs/spec.md section 4.1)'],
    ['src/server/kernel/errors.ts', "import a from './gone.ts' // https://example.com/src/gone.ts"],
  ])('%s: nothing wrong with %s', (file, text) => {
    expect(dangling(file, text)).toEqual([])
  })
})
