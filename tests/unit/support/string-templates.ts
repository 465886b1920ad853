import { parseSync } from 'vite'

type Node = { type: string; [name: string]: unknown }

/** Returns the strings in TypeScript code, on one line and with `{}` for each value of a template. */
export function stringTemplates(code: string): string[] {
  const { program, errors } = parseSync('code.ts', code)
  if (errors.length > 0) throw new Error(errors[0]!.message)
  const found: string[] = []
  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const node = value as Node
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value)
    if (node.type === 'TemplateLiteral') {
      const quasis = node.quasis as { value: { cooked: string } }[]
      found.push(quasis.map(({ value }) => value.cooked.replace(/\s+/g, ' ')).join('{}'))
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(program)
  return found
}
