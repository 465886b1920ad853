/** Which files of a list are selected. */
export type Selection = {
  readonly ids: ReadonlySet<string>
  /** Where a range begins that shift extends: the file that was chosen last without it. */
  readonly anchor: string | null
  /** What was selected when the range began: extending it again replaces the range, not this. */
  readonly base: ReadonlySet<string>
}

export const NOTHING: Selection = { ids: new Set(), anchor: null, base: new Set() }

/** Selects one file, or takes it out. */
export function toggle({ ids }: Selection, id: string): Selection {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return { ids: next, anchor: id, base: next }
}

/** Selects everything from the anchor to `id`, in the order of the list. Without an anchor in the list: `id` alone. */
export function extendTo(selection: Selection, order: readonly string[], id: string): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor)
  const to = order.indexOf(id)
  if (to === -1) return selection
  if (from === -1) return toggle({ ...selection, ids: without(selection.ids, id) }, id)
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ...selection, ids: new Set([...selection.base, ...range]) }
}

/** Selects what is in the list; what was selected before stays. */
export function selectAll(selection: Selection, order: readonly string[]): Selection {
  const ids = new Set([...selection.ids, ...order])
  return { ids, anchor: selection.anchor, base: ids }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  next.delete(id)
  return next
}
