import { createElement, Fragment, type ReactNode } from 'react'

/** An email, URL, ID or code that wraps after its dots, slashes, hyphens, "_" and "@" instead of within a word. */
export function Breakable({ children }: { children: string }) {
  const nodes: ReactNode[] = []
  for (const part of children.match(/[^.@/_-]+[.@/_-]*|[.@/_-]+/g) ?? [])
    nodes.push(part, createElement('wbr'))
  // As separate children of one element, they need no React keys.
  return createElement(Fragment, null, ...nodes)
}
