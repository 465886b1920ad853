/** Node of PostgreSQL's stored parse tree (`pg_node_tree`), such as `{VAR :varno 1 :varattno 2}`. */
export type Node = { readonly tag: string; readonly [field: string]: Value }
export type Value = Node | Value[] | string | null | undefined

/** Message for a tree that this version of PostgreSQL writes in another form. */
export const UNEXPECTED_TREE =
  'PostgreSQL wrote an unexpected parse tree. Adapt src/cli/sql-types to this version.'

export function parseNodeTree(text: string): Value {
  // A token is a bracket, or a run of characters in which a backslash escapes the next one.
  const tokens = text.match(/[{}()]|"(?:[^"\\]|\\.)*"|(?:[^\s{}()\\]|\\.)+/gs) ?? []
  let at = 0

  function value(): Value {
    const token = tokens[at++]
    if (token === '{') return node()
    if (token === '(') return list()
    return token === '<>' ? null : token
  }
  function list(): Value[] {
    const items: Value[] = []
    while (tokens[at] !== ')') items.push(value())
    at++
    return items
  }
  function node(): Node {
    const fields: Record<string, Value> & { tag: string } = { tag: tokens[at++]! }
    while (tokens[at] !== '}') {
      const name = tokens[at++]!.slice(1)
      fields[name] = value()
      // Skips the bytes of a constant: `4 [ 1 0 0 0 ]`.
      while (tokens[at] !== '}' && !tokens[at]!.startsWith(':')) at++
    }
    at++
    return fields
  }
  return value()
}

export const isNode = (value: Value): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const nodesIn = (value: Value): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []

/** Yields this node and every node below it. */
export function* walk(value: Value): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item)
  else if (isNode(value)) {
    yield value
    for (const name in value) if (name !== 'tag') yield* walk(value[name])
  }
}
