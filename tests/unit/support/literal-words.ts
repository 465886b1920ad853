import { parseSync } from 'vite'

/** Attributes whose text users see or hear. */
const SEEN =
  /^(title|label|alt|placeholder|hint|description|confirmLabel|valueText|aria-(label|description|valuetext|roledescription))$/
/** A sentence or several words, rather than a class name, path, key or MIME type. */
const SENTENCE = /^[A-Z][a-z’']+ [A-Za-z]|[a-z] [a-z]+.*[.!?…]$|^[A-Z][a-z]+(…|\.|:)$/

type Node = { type: string; [name: string]: unknown }

/** Returns the texts in a component's code that users would see: in elements, attributes and sentences in strings. */
export function literalWords(path: string, code: string): string[] {
  const { program, errors } = parseSync(path, code)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const found: string[] = []
  const add = (text: string): void => {
    if (/\p{L}{2}/u.test(text)) found.push(text.trim().replace(/\s+/g, ' '))
  }
  function visit(value: unknown): void {
    if (Array.isArray(value)) {
      for (const one of value) visit(one)
      return
    }
    if (typeof value !== 'object' || value === null || typeof (value as Node).type !== 'string') return
    const node = value as Node
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ImportExpression':
      case 'ExportNamedDeclaration':
        if (node.source) return
        break
      case 'NewExpression':
        // Messages of programming errors are for the log.
        if (/Error$/.test(String((node.callee as Node).name))) return
        break
      case 'JSXText':
        add(String(node.value))
        return
      case 'JSXAttribute':
        visitAttribute(node)
        return
      case 'Literal':
        if (typeof node.value === 'string' && SENTENCE.test(node.value)) add(node.value)
        return
      case 'TemplateLiteral':
        for (const { value: text } of node.quasis as { value: { cooked: string } }[])
          if (SENTENCE.test(text.cooked) || /^ [a-z]{3,}$/.test(text.cooked)) add(text.cooked)
        break
    }
    for (const [name, child] of Object.entries(node)) if (name !== 'type') visit(child)
  }
  function visitAttribute(node: Node): void {
    const name = String((node.name as Node).name)
    const value = node.value as Node | null
    if (name === 'className' || value === null) return
    if (value.type === 'Literal') {
      if (SEEN.test(name)) add(String(value.value))
      return
    }
    visit(value)
  }
  visit(program)
  return found
}
