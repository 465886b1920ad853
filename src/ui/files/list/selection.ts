/** Selected files of a list. */
export type Selection = {
  readonly ids: ReadonlySet<string>
  /** Start of a range that Shift extends: the last file chosen without Shift. */
  readonly anchor: string | null
  /** Selection at the start of the range. Extending again replaces the range but keeps these. */
  readonly base: ReadonlySet<string>
}

export const NOTHING: Selection = { ids: new Set(), anchor: null, base: new Set() }

/** Selects or deselects one file. */
export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id, base: next }
}

/** Selects the range from the anchor to `id` in the list's order. If the list lacks the anchor, selects only `id`. */
export function extendTo(selection: Selection, order: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor)
  const to = order.indexOf(id)
  if (to === -1) return selection
  if (from === -1) return toggle({ ...selection, ids: without(selection.ids, id) }, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ...selection, ids: new Set([...selection.base, ...range]) }
}

/** Adds all files of the list to the selection. */
export function selectAll(selection: Selection, order: readonly string[]): Selection {
  const ids = new Set([...selection.ids, ...order])
  return { ids, anchor: selection.anchor, base: ids }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  next.delete(id)
  return next
}
