/** Filter of a list by field name, as its address has it. It has no empty values. */
export type Filter<Name extends string = string> = Partial<Record<Name, string>>

/** Reads the filter in the parameters of an address. */
export function parseFilter<Name extends string>(
  params: URLSearchParams,
  names: readonly Name[],
): Filter<Name> {
  const filter: Filter<Name> = {}
  for (const name of names) {
    const value = params.get(name)?.trim()
    if (value) filter[name] = value
  }
  return filter
}

/** Returns the address's parameters with another filter. Other parameters stay. */
export function formatFilter<Name extends string>(
  search: string,
  names: readonly Name[],
  filter: Filter<Name>,
): string {
  const params = new URLSearchParams(search)
  for (const name of names) {
    const value = filter[name]?.trim()
    if (value) params.set(name, value)
    else params.delete(name)
  }
  return params.size === 0 ? '' : `?${params}`
}
