// The English texts of the repository: documents, messages and comments.

import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

/** A text that is read on its own. `line` is its first line in the file, counted from 1. */
export type Prose = {
  file: string
  line: number
  text: string
  kind: 'document' | 'jsdoc' | 'comment' | 'message' | 'test'
}

/** Returns the texts of a file of the repository. `file` is its path from the root. */
export const proseOf = (file: string): Prose[] => proseIn(file, readFileSync(join(ROOT, file), 'utf8'))

/** Returns the texts of a file with this content. */
export function proseIn(file: string, text: string): Prose[] {
  if (extname(file) === '.md') return [{ file, line: 1, text: withoutFrontMatter(text), kind: 'document' }]
  if (!/\.tsx?$/.test(file)) return []
  const found = (pattern: RegExp, kind: Prose['kind'], plain: (literal: string) => string) =>
    [...text.matchAll(pattern)].map((match) => ({
      file,
      line: text.slice(0, match.index).split('\n').length,
      text: plain(match[0]),
      kind,
    }))
  return [
    ...found(JSDOC, 'jsdoc', plainComment),
    ...found(COMMENT, 'comment', plainComment),
    ...found(messagePattern(file), 'message', plainMessage),
    ...(/\.test\.tsx?$/.test(file) ? found(TEST_NAME, 'test', plainTestName) : []),
  ]
}

const JSDOC = /\/\*\*(?=\s)[\s\S]*?\*\//g
const COMMENT = /(?:^[ \t]*\/\/.*\n)+/gm

/** A string or template without nested templates. */
const LITERAL = /(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`)/.source
const TEXT_OF_PAGES = new RegExp(String.raw`(?<=:\s+)${LITERAL}`, 'g')
const MESSAGE = new RegExp(
  String.raw`(?<=(?:AppError|StartupError|UsageError|MigrationError)\(\s*(?:'[A-Z_]+',\s*)?)(?!'[A-Z_]+')${LITERAL}` +
    String.raw`|(?<=\b(?:message|error|description|summary):\s+)${LITERAL}`,
  'g',
)

const TEST_NAME = new RegExp(
  String.raw`(?<=^\s*(?:test|describe|describeSite)(?:\.\w+(?:\([^)\n]*\))?)*\()${LITERAL}`,
  'gm',
)

/** Skips the German messages. Their comments are English. */
const messagePattern = (file: string) =>
  /i18n\/messages\/de\.ts$/.test(file)
    ? /(?!)/g
    : /i18n\/messages\/en\.ts$/.test(file)
      ? TEXT_OF_PAGES
      : MESSAGE

function plainComment(comment: string): string {
  return comment
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/^[ \t]*(\/\/|\*(?!\/))[ \t]?/gm, '')
    .replace(/^ *biome-ignore.*$/gm, '')
    .replace(/@\w+/g, '')
}

function plainMessage(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\$\{[^}]*\}/g, 'X')
    .replace(/\\(.)/g, '$1')
    .replace(/<\/?\w+>/g, '')
}

/** Removes vitest's placeholders, whose articles and verbs depend on the value. */
function plainTestName(literal: string): string {
  return plainMessage(literal).replace(/%\w|\$\w+/g, '`value`')
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n---\n/, (matter) => matter.replace(/[^\n]/g, ''))
}
