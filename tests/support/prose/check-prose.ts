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

/** The goal is 25 words. Lists of names, which readers scan, can have more. */
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

/** An indirect question at the start of a doc comment, where a noun or verb says the same at once. */
const INDIRECT_QUESTION = /^\s*(What|Whether|Who|Which|How|Where)\b/

const markdown = unified().use(remarkParse).use(remarkGfm)
const english = unified().use(retextRepeatedWords).use(retextIndefiniteArticle)
const plainEnglish = new ParseEnglish()

/** Text whose code is blanked in `lines`, which still contain the targets of links. */
type Parsed = Prose & { lines: string[]; document?: Root }

/** Returns what to change in these texts. */
export async function proseProblems(texts: Prose[]): Promise<Problem[]> {
  const parsed = texts.map(withoutCode)
  return [...parsed.flatMap(styleProblems), ...(await spellingProblems(parsed))]
}

function styleProblems(parsed: Parsed): Problem[] {
  const { file, line: firstLine, text, document, lines } = parsed
  const found = document ? documentProblems(text, document) : paragraphsOf(parsed).flatMap(paragraphProblems)
  const plain = lines.join('\n').replace(/\]\([^)]*\)/g, (target) => target.replace(/[^\n]/g, ' '))
  for (const [pattern, instead] of PHRASES)
    for (const match of plain.matchAll(pattern))
      found.push({ line: lineAt(plain, match.index), problem: `"${match[0]}": write ${instead}` })
  const question = parsed.kind === 'jsdoc' && INDIRECT_QUESTION.exec(text)?.[1]
  if (question)
    found.push({ line: 1, problem: `"${question}" opens a doc comment: write a noun, a verb or a condition` })
  return found.map(({ line, problem }) => ({ file, line: firstLine + line - 1, problem }))
}

/** Lines count from 1 at the start of the text. */
type Found = Pick<Problem, 'line' | 'problem'>

function documentProblems(text: string, document: Root): Found[] {
  const at = new VFile(text)
  const sentences = toNlcst(document, at, ParseEnglish, { ignore: ['inlineCode', 'code', 'delete'] })
  const found = sentenceProblems(sentences, at)
  visit(document, 'paragraph', (paragraph) => {
    const { start, end } = paragraph.position!
    const { length } = text.slice(start.offset, end.offset).trim().split(/\s+/)
    if (length > MAX_PARAGRAPH_WORDS)
      found.push({
        line: start.line,
        problem: `paragraph of ${length} words: at most ${MAX_PARAGRAPH_WORDS}`,
      })
  })
  return found
}

/** A short text without an article and repeated words has none of the problems: parsing it would take the most time. */
const NEEDS_PARSER = new RegExp(String.raw`\b(an?|(\w+)\s+\2)\b|(\S+\s+){${MAX_SENTENCE_WORDS}}`, 'i')

function paragraphProblems({ line, text }: { line: number; text: string }): Found[] {
  if (!NEEDS_PARSER.test(text)) return []
  const found = sentenceProblems(plainEnglish.parse(text), new VFile(text))
  return found.map((one) => ({ ...one, line: line + one.line - 1 }))
}

/** Returns the paragraphs and list items of a comment, message or test name. */
function paragraphsOf({ lines }: Parsed): { line: number; text: string }[] {
  const paragraphs: { line: number; text: string }[] = []
  for (const [index, line] of lines.entries()) {
    const isNew = index === 0 || lines[index - 1]!.trim() === '' || /^\s*([-*|]|\d+\.) /.test(line)
    if (isNew) paragraphs.push({ line: index + 1, text: line })
    else paragraphs.at(-1)!.text += `\n${line}`
  }
  return paragraphs
}

function sentenceProblems(sentences: ReturnType<typeof toNlcst>, at: VFile): Found[] {
  english.runSync(sentences, at)
  visit(sentences, 'SentenceNode', (sentence: Sentence) => {
    // The parser joins sentences after "in." or a number, and before code that starts a document's sentence.
    const counts = textOf(sentence)
      .split(/(?<=\.)\s+/)
      .map((part) => part.split(/\s+/).filter((word) => /[\w`]/.test(word)).length)
    const words = Math.max(...counts)
    if (words > MAX_SENTENCE_WORDS)
      at.message(`sentence of ${words} words: at most ${MAX_SENTENCE_WORDS}`, sentence)
  })
  return at.messages.map(({ line, reason }) => ({ line: line ?? 1, problem: reason }))
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

/** Words of the project that are in no dictionary, one per line. */
const PROJECT_WORDS = readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')
  .split('\n')
  .filter(Boolean)

/** Returns the words that are neither American English nor in words.txt. */
async function spellingProblems(texts: Parsed[]): Promise<Problem[]> {
  // Check all texts as one document, because each document costs as much as some hundred lines.
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
      // Lists of misspellings with suggestions, which take 0.6 s to load. No dictionary has these misspellings.
      dictionaries: ['!en-common-misspellings', '!en-us-common-misspellings'],
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

/**
 * Blanks code, keeping lines. Only documents are parsed as Markdown, which takes longer than everything else: other texts
 * have code spans at most. A code span is not blanked to spaces there, so that "a" before it gets no other noun.
 */
function withoutCode(prose: Prose): Parsed {
  const { kind, text } = prose
  if (kind !== 'document')
    return { ...prose, lines: text.replace(/`[^`]*`/g, (code) => code.replace(/\S/g, '`')).split('\n') }
  const document = markdown.parse(text)
  let plain = text
  visit(document, ['code', 'inlineCode'], (node) => {
    const { start, end } = node.position!
    const code = plain.slice(start.offset, end.offset)
    plain = plain.slice(0, start.offset) + code.replace(/[^\n]/g, ' ') + plain.slice(end.offset)
  })
  return { ...prose, document, lines: plain.split('\n') }
}
