type Scalar = string | number | boolean

/** A name and its values. Names of nested objects are joined, such as "address › city". */
export type DataEntry = { name: string; values: Scalar[] }

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/** Returns a message's data as a flat list. Drops what has no value: null, and empty texts, lists and objects. */
export function dataEntries(data: object, parents: readonly string[] = []): DataEntry[] {
  return Object.entries(data).flatMap(([key, value]: [string, unknown]) => {
    const path = [...parents, key]
    const name = path.join(' › ')
    if (value === '' || value === null) return []
    if (isScalar(value)) return [{ name, values: [value] }]
    if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) return [{ name, values: value }]
    // Items of a list that contains objects are numbered from 1.
    if (Array.isArray(value))
      return dataEntries(Object.fromEntries(value.map((item, i) => [String(i + 1), item])), path)
    return typeof value === 'object' ? dataEntries(value, path) : []
  })
}
