import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'

/** Tags of a statement: `rows` for those whose rows are read, `run` for the others. */
const KINDS: Record<string, 'rows' | 'run'> = {
  rows: 'rows',
  row: 'rows',
  run: 'run',
  wrote: 'run',
  write: 'run',
}

/** Statement in the source: a template with one of these tags and its name, such as `rows<'name'>`. */
export type Statement = {
  /** Undefined if the tag has no name. */
  name: string | undefined
  /** True if its rows are read. */
  kind: 'rows' | 'run'
  /** `src/…/file.ts:12` */
  place: string
  /** The text that PostgreSQL receives, with `$1` for the first value. */
  text: string
  /** Source text of each value. */
  values: string[]
  /** Hash of the text, which shows whether the statement has changed since it was described. */
  hash: string
}

/** Finds all statements in the TypeScript files of these folders, in the order of their places. */
export function findStatements(root: string, folders: string[]): Statement[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .flatMap((path) => statementsIn(relative(root, path), readFileSync(path, 'utf8'))),
  )
}

export function statementsIn(file: string, source: string): Statement[] {
  const found: Statement[] = []
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  new Visitor({
    TaggedTemplateExpression({ tag, typeArguments, quasi, start }) {
      if (tag.type !== 'MemberExpression' || tag.property.type !== 'Identifier') return
      const kind = Object.hasOwn(KINDS, tag.property.name) ? KINDS[tag.property.name] : undefined
      if (!kind) return
      const type = typeArguments?.params[0]
      const name =
        type?.type === 'TSLiteralType' && type.literal.type === 'Literal' ? type.literal.value : undefined
      const text = quasi.quasis
        .map(({ value }) => value.cooked!)
        .reduce((before, after, i) => `${before}$${i}${after}`)
      found.push({
        name: typeof name === 'string' ? name : undefined,
        kind,
        place: `${file}:${source.slice(0, start).split('\n').length}`,
        text,
        values: quasi.expressions.map((value) => source.slice(value.start, value.end)),
        hash: createHash('sha256').update(text).digest('hex').slice(0, 12),
      })
    },
  }).visit(program)
  return found
}
