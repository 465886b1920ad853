// Finds problems in English texts: maintained retext plugins, a spelling check, and a list of phrases that read as
// translated.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spellCheckDocument } from 'cspell-lib'
import type { Root } from 'mdast'
import { toNlcst } from 'mdast-util-to-nlcst'
import type { Sentence } from 'nlcst'
import { toString as textOf } from 'nlcst-to-string'
import { ParseEnglish } from 'parse-english'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import retextIndefiniteArticle from 'retext-indefinite-article'
import retextRepeatedWords from 'retext-repeated-words'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { VFile } from 'vfile'
import type { Prose } from './texts.ts'

/** `line` counts from 1. */
export type Problem = { file: string; line: number; problem: string }

/** The aim is 25 words. Lists of names, which readers scan, can have more. */
const MAX_SENTENCE_WORDS = 32

/** Maximum words of a paragraph in a document. */
const MAX_PARAGRAPH_WORDS = 90

/** Phrases that read as translated, with what to write instead. */
const PHRASES = (
  [
    [/\bof (yours|ours|theirs|his|hers)\b/i, '"your", "our", "their" before the noun'],
    [/\b(time|upload|session|day|lease|term|lifetime) (is|was|are) over\b/i, '"has expired", "has ended"'],
    [/\banew\b/i, '"again"'],
    [/\bthere (is|was) no [\w ]{1,40} with this\b/i, '"… not found"'],
    [/\bas many [\w ]{1,30} as (there )?(can|may)\b/i, '"at most" and the number'],
    [/\bwhoever\b/i, 'who acts: "anyone who", "users who"'],
    [/\bnone of (ours|yours)\b/i, 'what it is'],
    [/\b(mails|a mail)\b/i, '"email"'],
    [/\b(him|his|himself)\b/i, 'singular "they"'],
    [/\bsomebody's\b/i, '"a user\'s"'],
    [/\bnobody (who|that|has|gets|may)\b/i, '"no one"'],
    [/\bput by\b/, '"saved"'],
    [/\bfor ever\b/i, '"forever"'],
    [/\bby itself alone\b/i, '"alone"'],
    [/\bof which (a|an|the|there)\b/i, 'two sentences'],
    [/\bgood (until|for)\b/, '"valid"'],
    [/\bthe answer to (a|the) (call|request)\b/i, '"response"'],
    [/\b(server|store|database|gateway|service|collector|issuer) (is|are|was) away\b/i, '"unavailable"'],
    [/\bwhat (came|comes) of\b/i, '"the result of"'],
    [/\bin so many words\b/i, '"explicitly"'],
    [/\ball the same\b/i, '"anyway", or "identical"'],
    [/\bbegins? anew\b/i, '"starts over"'],
    [/\bspoilt\b/i, '"corrupted"'],
  ] as [pattern: RegExp, instead: string][]
).map(([{ source, flags }, instead]): [RegExp, string] => [
  new RegExp(
    source.replaceAll(' ', String.raw`\s+`).replaceAll(String.raw`[\w\s+]`, String.raw`[\w\s]`),
    `g${flags}`,
  ),
  instead,
])

const markdown = unified().use(remarkParse).use(remarkGfm)
const english = unified().use(retextRepeatedWords).use(retextIndefiniteArticle)

type Parsed = Prose & {
  document: Root
  /** Lines without code. They still contain the targets of links. */
  lines: string[]
}

/** Returns what to change in these texts. */
export async function proseProblems(texts: Prose[]): Promise<Problem[]> {
  const parsed = texts.map((prose): Parsed => {
    const document = markdown.parse(prose.text)
    return { ...prose, document, lines: withoutCode(prose.text, document).split('\n') }
  })
  return [...parsed.flatMap(styleProblems), ...(await spellingProblems(parsed))]
}

function styleProblems({ file, line: firstLine, text, kind, document, lines }: Parsed): Problem[] {
  const at = new VFile({ path: file, value: text })
  const sentences = toNlcst(document, at, ParseEnglish, { ignore: ['inlineCode', 'code', 'delete'] })
  english.runSync(sentences, at)
  visit(sentences, 'SentenceNode', (sentence: Sentence) => {
    const words = textOf(sentence)
      .split(/\s+/)
      .filter((word) => /\w/.test(word)).length
    if (words > MAX_SENTENCE_WORDS)
      at.message(`sentence of ${words} words: at most ${MAX_SENTENCE_WORDS}`, sentence)
  })
  const problems = at.messages.map(({ line, reason }) => ({ line: line ?? 1, problem: reason }))
  if (kind === 'document')
    visit(document, 'paragraph', (paragraph) => {
      const { start, end } = paragraph.position!
      const { length } = text.slice(start.offset, end.offset).trim().split(/\s+/)
      if (length > MAX_PARAGRAPH_WORDS)
        problems.push({
          line: start.line,
          problem: `paragraph of ${length} words: at most ${MAX_PARAGRAPH_WORDS}`,
        })
    })
  const plain = lines.join('\n').replace(/\]\([^)]*\)/g, (target) => target.replace(/[^\n]/g, ' '))
  for (const [pattern, instead] of PHRASES)
    for (const match of plain.matchAll(pattern))
      problems.push({
        line: plain.slice(0, match.index).split('\n').length,
        problem: `"${match[0]}": write ${instead}`,
      })
  return problems.map(({ line, problem }) => ({ file, line: firstLine + line - 1, problem }))
}

/** Words of the project that are in no dictionary, one per line. */
const PROJECT_WORDS = readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')
  .split('\n')
  .filter(Boolean)

/** Returns the words that are neither American English nor in words.txt. */
async function spellingProblems(texts: Parsed[]): Promise<Problem[]> {
  // One document for all texts, because each document costs as much as some hundred lines.
  const places = texts.flatMap(({ file, line, lines }) =>
    lines.map((_, index) => ({ file, line: line + index })),
  )
  const text = texts.flatMap(({ lines }) => lines).join('\n')
  const { issues } = await spellCheckDocument(
    { uri: 'prose.txt', text, languageId: 'plaintext', locale: 'en-US' },
    { generateSuggestions: false, noConfigSearch: true },
    {
      words: PROJECT_WORDS,
      language: 'en-US',
      maxNumberOfProblems: 1000,
      maxDuplicateProblems: 1000,
      ignoreRegExpList: ['Urls', 'Email', 'HexValues', String.raw`/\]\([^)]*\)/g`, '/„[^“]*“/g'],
    },
  )
  return issues.map(({ text: word, offset }) => ({
    ...places[text.slice(0, offset).split('\n').length - 1]!,
    problem: `"${word}" is not in the dictionary: correct it, or add it to tests/support/prose/words.txt`,
  }))
}

/** Blanks code blocks and code spans, keeping lines. */
function withoutCode(text: string, document: Root): string {
  let plain = text
  visit(document, ['code', 'inlineCode'], (node) => {
    const { start, end } = node.position!
    const code = plain.slice(start.offset, end.offset)
    plain = plain.slice(0, start.offset) + code.replace(/[^\n]/g, ' ') + plain.slice(end.offset)
  })
  return plain
}
