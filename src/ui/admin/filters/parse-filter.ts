/** Filter of a list by field name, as its address has it. It has no empty values. */
export type Filter<Name extends string = string> = Partial<Record<Name, string>>

/** Fields of a filter with the values that each accepts: any text, a day like 2026-11-28, or one of these. */
export type Fields<Name extends string = string> = Readonly<Record<Name, 'text' | 'day' | readonly string[]>>

const DAY = /^\d{4}-\d\d-\d\d$/

/** Reads the filter in the parameters of an address, without values that the fields do not accept. */
export function parseFilter<Name extends string>(
  params: URLSearchParams,
  fields: Fields<Name>,
): Filter<Name> {
  const filter: Filter<Name> = {}
  for (const name of namesOf(fields)) {
    const value = params.get(name)?.trim()
    if (value && accepts(fields[name], value)) filter[name] = value
  }
  return filter
}

function accepts(values: Fields[string], value: string): boolean {
  if (values === 'text') return true
  if (values === 'day') return DAY.test(value) && !Number.isNaN(Date.parse(value))
  return values.includes(value)
}

const namesOf = <Name extends string>(fields: Fields<Name>) => Object.keys(fields) as Name[]

/** Returns the address's parameters with another filter. Other parameters stay. */
export function formatFilter<Name extends string>(
  search: string,
  fields: Fields<Name>,
  filter: Filter<Name>,
): string {
  const params = new URLSearchParams(search)
  for (const name of namesOf(fields)) {
    const value = filter[name]?.trim()
    if (value) params.set(name, value)
    else params.delete(name)
  }
  return params.size === 0 ? '' : `?${params}`
}
