/** Search, type and order of the list. They are in the address, so users can share it and go back. */
export type FileView = { query: string; kind: FileKind | null; sort: FileSort }

export const FILE_SORTS = ['newest', 'oldest', 'name', 'largest'] as const
export type FileSort = (typeof FILE_SORTS)[number]

/** The accepted file types, grouped for users. */
const MIME_TYPES_BY_KIND = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
  video: ['video/mp4', 'video/quicktime'],
} as const
export type FileKind = keyof typeof MIME_TYPES_BY_KIND
type FileMimeType = (typeof MIME_TYPES_BY_KIND)[FileKind][number]
export const FILE_KINDS = Object.keys(MIME_TYPES_BY_KIND) as FileKind[]

/** Maximum length of a search, set by the server. */
export const QUERY_MAX_CHARS = 255

export const DEFAULT_VIEW: FileView = { query: '', kind: null, sort: 'newest' }

/** Parses the query string of an address. Ignores invalid parameters, so the server accepts every result. */
export function parseFileView(search: string | URLSearchParams): FileView {
  const params = new URLSearchParams(search)
  const kind = params.get('type')
  const sort = params.get('sort')
  return {
    query: cleanQuery(params.get('q') ?? ''),
    kind: FILE_KINDS.find((one) => one === kind) ?? DEFAULT_VIEW.kind,
    sort: FILE_SORTS.find((one) => one === sort) ?? DEFAULT_VIEW.sort,
  }
}

/** Returns the query string of a view, such as `?q=cat&type=image&sort=name`, or '' for the default view. */
export function formatFileView({ query, kind, sort }: FileView): string {
  const params = new URLSearchParams()
  if (query !== DEFAULT_VIEW.query) params.set('q', query)
  if (kind !== null) params.set('type', kind)
  if (sort !== DEFAULT_VIEW.sort) params.set('sort', sort)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Removes what the server rejects: control characters, lone surrogates and excess length. */
export function cleanQuery(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
  // Cutting can split a surrogate pair.
  return plain
    .slice(0, QUERY_MAX_CHARS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

/** Returns the input of `files.totals`. Together with `sort`, it is also the input of `files.list`. */
export function filterOf({ query, kind }: FileView): { query?: string; mimeTypes?: FileMimeType[] } {
  return {
    ...(query !== '' && { query }),
    ...(kind !== null && { mimeTypes: [...MIME_TYPES_BY_KIND[kind]] }),
  }
}

export function kindOf(mimeType: string): FileKind | undefined {
  return FILE_KINDS.find((kind) => (MIME_TYPES_BY_KIND[kind] as readonly string[]).includes(mimeType))
}

export function isFiltered({ query, kind }: FileView): boolean {
  return query !== '' || kind !== null
}
