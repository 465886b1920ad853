// The English of documents, messages, comments and test names. `npx node tests/support/prose/main.ts FILE...` prints
// the same problems for single files.

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { proseProblems } from '../support/prose/check-prose.ts'
import { type Prose, proseIn, proseOf } from '../support/prose/texts.ts'

const ROOT = join(import.meta.dirname, '../..')
const SKIPPED = /(^|\/)(node_modules|dist|generated|\.\w+)(\/|$)/

const files = globSync('**/*.{md,ts,tsx}', {
  cwd: ROOT,
  exclude: (path) => SKIPPED.test(path.replaceAll('\\', '/')),
}).map((path) => path.replaceAll('\\', '/'))

/** Files by kind, so that a failure says where to look. */
const groups = Map.groupBy(files, (file) => {
  if (file.endsWith('.md')) return 'documents'
  return /^(src\/[\w-]+|packages\/[\w-]+|tests\/[\w-]+)\//.exec(file)?.[1] ?? 'other files'
})

describe('plain English in', () => {
  test.each([...groups.keys()].sort())('%s', async (group) => {
    const problems = await proseProblems(groups.get(group)!.flatMap(proseOf))
    expect(problems.map(({ file, line, problem }) => `${file}:${line} ${problem}`)).toEqual([])
  })
})

describe('the check finds', () => {
  const found = async (texts: Prose[]) => (await proseProblems(texts)).map(({ problem }) => problem)
  const one = (text: string): Prose[] => [{ file: 'a.md', line: 1, text, kind: 'document' }]

  test.each([
    ['a repeated word', 'The file is is uploaded.', /Unexpected repeated `is`/],
    ['a wrong article', 'Send a upload.', /Unexpected article `a`/],
    ['a word that no dictionary has', 'The file is uplaoded.', /"uplaoded" is not in the dictionary/],
    ['British spelling', 'The behaviour is documented.', /"behaviour" is not in the dictionary/],
    ['a long sentence', `${'It counts words, '.repeat(11)}and stops.`, /sentence of 35 words/],
    ['a phrase that reads as translated', 'No file of yours has this ID.', /"of yours": write/],
    ['a phrase at a line break', 'The upload\nis over.', /"upload\nis over": write/],
    ['a long paragraph', 'It stores files. '.repeat(31), /paragraph of 93 words/],
  ])('%s', async (_what, text, problem) => {
    expect(await found(one(text))).toEqual([expect.stringMatching(problem)])
  })

  test.each(['What a push contains.', 'Whether the file is ready.', 'How long a link is valid.'])(
    'an indirect question that opens a doc comment: %s',
    async (text) => {
      const problem = expect.stringMatching(/^"\w+" opens a doc comment/)
      expect(await found([{ file: 'a.ts', line: 1, text, kind: 'jsdoc' }])).toEqual([problem])
      expect(await found([{ file: 'a.ts', line: 1, text, kind: 'comment' }])).toEqual([])
    },
  )

  test('the line of a problem in a list', async () => {
    const text = `Steps:\n- one\n- Send a upload to \`it\`.\n- a \`x\` is the code`
    const problems = await proseProblems([{ file: 'a.ts', line: 5, text, kind: 'comment' }])
    expect(problems).toEqual([
      { file: 'a.ts', line: 7, problem: expect.stringMatching(/Unexpected article/) },
    ])
  })

  test.each(['signed in. It', 'version 20. It', 'stops. `stop`'])(
    'no long sentence where a full stop ends one: %s',
    async (ends) => {
      const part = 'counts its words, '.repeat(6)
      expect(await found(one(`The user ${part}and ${ends} ${part}and stops.`))).toEqual([])
    },
  )

  test('nothing in code', async () => {
    expect(await found(one('Call `uplaoded of yours`.\n\n```sh\nanew anew\n```\n'))).toEqual([])
  })

  test('comments, messages and the names of tests, with their lines', () => {
    const source = [
      '/** Counts files. */',
      'const a = 1 // not a sentence of its own',
      '// Two lines',
      '// are one comment.',
      "throw new AppError('NOT_FOUND', 'File not found.')",
      "test('a file is found', () => {})",
    ].join('\n')
    expect(
      proseIn('a.test.ts', `${source}\n`).map(({ line, kind, text }) => [line, kind, text.trim()]),
    ).toEqual([
      [1, 'jsdoc', 'Counts files.'],
      [3, 'comment', 'Two lines\nare one comment.'],
      [5, 'message', 'File not found.'],
      [6, 'test', 'a file is found'],
    ])
  })
})
