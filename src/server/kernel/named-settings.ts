import type { z } from 'zod'
import { isRecord } from './validation.ts'

/** Maximum number of entries of a file. */
const MAX_ENTRIES = 50

export const SETTINGS_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/

type Kind<T extends z.ZodType> = {
  /** Noun for an entry, such as `policy`. */
  one: string
  many: string
  schema: T
  /** Names of the settings, by the path of their object; '' is the entry itself. */
  settings: Readonly<Record<string, readonly string[]>>
}

/**
 * Reads a JSON object whose entries an operator has named, such as upload policies. `faults` has one line per error,
 * which names the entry and the field.
 */
export function parseNamedSettings<T extends z.ZodType>(
  text: string,
  kind: Kind<T>,
): { entries: Map<string, z.output<T>>; faults: string[] } {
  const { one, many, schema } = kind
  const entries = new Map<string, z.output<T>>()
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    return { entries, faults: [`must name a file with JSON: ${(error as Error).message}`] }
  }
  if (!isRecord(file))
    return { entries, faults: [`must name a file with a JSON object: ${aOrAn(one)} for each name`] }
  const given = Object.entries(file)
  const faults: string[] = []
  if (given.length > MAX_ENTRIES)
    faults.push(`must name a file with at most ${MAX_ENTRIES} ${many}, not ${given.length}`)
  for (const [name, value] of given) {
    const about = aboutEntry(one, name)
    if (!SETTINGS_NAME.test(name))
      faults.push(`${about}: the name must have 1 to 64 letters, digits, ".", "_" and "-"`)
    const parsed = schema.safeParse(value)
    if (parsed.success) entries.set(name, parsed.data)
    else faults.push(...parsed.error.issues.flatMap((issue) => linesOf(issue, about, kind.settings)))
  }
  return { entries, faults }
}

/** Returns the start of an entry's error lines. */
export const aboutEntry = (one: string, name: string) => `${one} ${JSON.stringify(name)}`

const aOrAn = (word: string) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`

function linesOf(issue: z.core.$ZodIssue, about: string, settings: Kind<z.ZodType>['settings']): string[] {
  // Omits indexes in lists, because the message names the value.
  const names = issue.path.filter((part) => typeof part === 'string')
  const path = names.join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) =>
        `${about}, ${[...names, key].join('.')}: is not a setting of this version; it has ${settings[path]!.join(', ')}`,
    )
  if (path === '') return [`${about}: must be an object`]
  return [`${about}, ${path}: ${issue.message}`]
}
