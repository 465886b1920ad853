// Each statement of docs/security.md is followed by an invisible comment that names a test: `<!-- shown by FILE: TITLE -->`.
// A statement that no test can show says why: `<!-- not shown: REASON -->`. A comment after a list or table applies to
// each of its items or rows.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Nodes, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const markdown = unified().use(remarkParse).use(remarkGfm)

/** Returns the titles of a file's tests as they are in its source, or undefined if the file does not exist. */
function titlesOf(file: string): Set<string> | undefined {
  const path = join(ROOT, file)
  if (!/^(tests|packages)\/.*\.test\.tsx?$/.test(file) || !existsSync(path)) return undefined
  const titles = readFileSync(path, 'utf8').matchAll(/(?:\btest\(|\)\()\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,/g)
  return new Set(Array.from(titles, ([, , title]) => title!.replace(/\\(['"`])/g, '$1')))
}

/** Returns what is wrong in a document, with the lines. */
function problemsOf(document: string, titles: typeof titlesOf): string[] {
  const root: Root = markdown.parse(document)
  const problems = withoutProof(root).map((line) => `${line}: no test is named`)
  visit(root, 'html', ({ value, position }) => {
    const wrong = (problem: string) => problems.push(`${position!.start.line}: ${problem}`)
    for (const [, comment] of value.matchAll(/<!--\s*([\s\S]*?)\s*-->/g)) {
      const text = comment!.replace(/\s+/g, ' ')
      const [, file, title] = /^shown by (\S+): (.+)$/.exec(text) ?? []
      if (!file || !title) {
        if (!/^not shown: .{10}/.test(text)) wrong('the comment names neither a test nor a reason')
      } else if (!titles(file)) wrong(`no such file: ${file}`)
      else if (!titles(file)!.has(title)) wrong(`no such test in ${file}: ${title}`)
    }
  })
  return problems
}

/** Returns the lines of paragraphs, list items and table rows without a comment. */
function withoutProof(node: Nodes, isCovered = false): number[] {
  if (!('children' in node)) return []
  return node.children.flatMap((child, index): number[] => {
    const covered = isCovered || node.children[index + 1]?.type === 'html'
    if (child.type === 'list' || child.type === 'listItem' || child.type === 'blockquote')
      return withoutProof(child, child.type === 'listItem' ? isCovered : covered)
    const parts = child.type === 'table' ? child.children.slice(1) : [child]
    return parts
      .filter(({ type }) => ['paragraph', 'tableRow', 'code'].includes(type))
      .filter((part) => !covered && !hasComment(part))
      .map(({ position }) => position!.start.line)
  })
}

function hasComment(node: Nodes): boolean {
  let found = false
  visit(node, 'html', () => {
    found = true
  })
  return found
}

test('docs/security.md names a test that exists after each statement', () => {
  expect(problemsOf(readFileSync(join(ROOT, 'docs/security.md'), 'utf8'), titlesOf)).toEqual([])
})

describe('the check', () => {
  const titles = (file: string) => (file === 'a.test.ts' ? new Set(['works']) : undefined)
  const found = (document: string) => problemsOf(document, titles)
  const PROOF = '<!-- shown by a.test.ts: works -->'

  test.each([
    ['a paragraph', `It works.\n${PROOF}`],
    ['a comment on several lines', 'It works.\n<!-- shown by a.test.ts:\n  works -->'],
    ['a reason', 'It works.\n<!-- not shown: it explains the next sentence -->'],
    ['a list item', `- It works.\n  ${PROOF}\n- It also works. ${PROOF}`],
    ['a list', `- It works.\n- It also works.\n\n${PROOF}`],
    ['a table row', `| A |\n|---|\n| It works. ${PROOF} |`],
    ['a table', `| A |\n|---|\n| It works. |\n${PROOF}`],
    ['a heading', '# Title'],
  ])('accepts %s', (_, document) => expect(found(document)).toEqual([]))

  test.each([
    ['a paragraph without a comment', `It works.\n\nIt also works.\n${PROOF}`, ['1: no test is named']],
    ['a list item without one', `- It works.\n  ${PROOF}\n- It also works.`, ['3: no test is named']],
    ['an inner item without one', `- It works.\n  ${PROOF}\n  - Inside.`, ['3: no test is named']],
    ['a row without one', `| A |\n|---|\n| It works. |`, ['3: no test is named']],
    ['a title that has changed', 'It works.\n<!-- shown by a.test.ts: worked -->', [/no such test/]],
    ['a file that does not exist', 'It works.\n<!-- shown by b.test.ts: works -->', [/no such file/]],
    ['another comment', 'It works.\n<!-- TODO -->', [/neither/]],
  ])('finds %s', (_, document, problems) =>
    expect(found(document)).toEqual(
      problems.map((problem) => (typeof problem === 'string' ? problem : expect.stringMatching(problem))),
    ),
  )

  test('reads the titles of tests', () => {
    const own = titlesOf('tests/unit/security-claims.test.ts')!
    expect(own).toContain('reads the titles of tests')
    expect(own).toContain('accepts %s')
    expect(own).not.toContain('the check')
  })
})
