import { s3Error } from './errors.ts'

/** Document as a value. Arrays repeat their element; undefined omits it. */
export type Xml = string | number | boolean | undefined | Xml[] | { [name: string]: Xml }

export type XmlElement = { name: string; text: string; children: XmlElement[] }

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Escapes markup and the control characters that object keys can contain, like S3 (`&#13;`). */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys can contain them, but XML cannot.
  return text.replace(/[&<>"'\u0000-\u001f\u007f]/g, (c) => {
    if (c === '&') return '&amp;'
    if (c === '<') return '&lt;'
    if (c === '>') return '&gt;'
    if (c === '"') return '&quot;'
    if (c === "'") return '&apos;'
    return `&#${c.charCodeAt(0)};`
  })
}

function render(name: string, value: Xml): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((one) => render(name, one)).join('')
  if (typeof value === 'object') return `<${name}>${renderAll(value)}</${name}>`
  return `<${name}>${escapeXml(String(value))}</${name}>`
}

function renderAll(fields: { [name: string]: Xml }): string {
  let out = ''
  for (const name in fields) out += render(name, fields[name])
  return out
}

/** Renders a whole document. In S3, all documents except errors have a namespace. */
export function xmlDocument(root: string, fields: { [name: string]: Xml } | string): string {
  const namespace = root === 'Error' ? '' : ` xmlns="${NAMESPACE}"`
  const inner = typeof fields === 'string' ? escapeXml(fields) : renderAll(fields)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${inner}</${root}>`
}

function unescapeXml(text: string): string {
  return text.replace(/&(#x[0-9a-f]+|#[0-9]+|[a-z]+);/gi, (whole, name: string) => {
    if (name.startsWith('#')) {
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
      if (code > 0x10ffff) throw s3Error('MalformedXML')
      return String.fromCodePoint(code)
    }
    const known = ENTITIES[name]
    if (known === undefined) throw s3Error('MalformedXML')
    return known ?? whole
  })
}

/**
 * Parses a request document: elements and text only. Skips attributes, and rejects a DTD. Drops namespace prefixes,
 * because S3 accepts documents with and without them.
 * @throws S3Error MalformedXML
 */
export function parseXml(source: string): XmlElement {
  const top: XmlElement = { name: '', text: '', children: [] }
  const open: XmlElement[] = [top]
  const token =
    /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([^\s<>/!?]+)([^<>]*?)(\/?)>|([^<]+)/y
  const text = source.replace(/^\uFEFF/, '')
  while (token.lastIndex < text.length) {
    const found = token.exec(text)
    if (!found) throw s3Error('MalformedXML')
    const [, cdata, closing, rawName, , selfClosing, plain] = found
    const current = open[open.length - 1]!
    if (cdata !== undefined) current.text += cdata
    else if (plain !== undefined) current.text += unescapeXml(plain)
    else if (rawName !== undefined) {
      const name = rawName.slice(rawName.indexOf(':') + 1)
      if (closing) {
        if (open.length < 2 || current.name !== name) throw s3Error('MalformedXML')
        open.pop()
      } else {
        const element: XmlElement = { name, text: '', children: [] }
        current.children.push(element)
        if (!selfClosing) open.push(element)
      }
    }
  }
  const root = top.children[0]
  if (open.length !== 1 || top.children.length !== 1 || !root || top.text.trim())
    throw s3Error('MalformedXML')
  return root
}

/** Returns the trimmed text of the first child with this name, or undefined. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text.trim()
}

/** Returns all children with this name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name)
}
