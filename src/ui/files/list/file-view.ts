/** What the list shows: kept in the address, so that it can be shared and the browser's back button works. */
export type FileView = { query: string; kind: FileKind | null; sort: FileSort }

export const FILE_SORTS = ['newest', 'oldest', 'name', 'largest'] as const
export type FileSort = (typeof FILE_SORTS)[number]

/** The types that the service accepts, as people sort them. */
export const MIME_TYPES_BY_KIND = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
  video: ['video/mp4', 'video/quicktime'],
} as const
export type FileKind = keyof typeof MIME_TYPES_BY_KIND
export type FileMimeType = (typeof MIME_TYPES_BY_KIND)[FileKind][number]
export const FILE_KINDS = Object.keys(MIME_TYPES_BY_KIND) as FileKind[]

/** What the server takes for a search. */
export const QUERY_MAX_CHARS = 255

export const DEFAULT_VIEW: FileView = { query: '', kind: null, sort: 'newest' }

/** Reads the part of an address behind the path. What no view has is ignored; the server takes every result. */
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

/** What stands behind the path: `?q=cat&type=image&sort=name`, or nothing for the view without any choice. */
export function formatFileView({ query, kind, sort }: FileView): string {
  const params = new URLSearchParams()
  if (query !== DEFAULT_VIEW.query) params.set('q', query)
  if (kind !== null) params.set('type', kind)
  if (sort !== DEFAULT_VIEW.sort) params.set('sort', sort)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Without what the server refuses: control characters, halves of characters, and more than it takes. */
export function cleanQuery(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
  // Cutting may split a character in two.
  return plain
    .slice(0, QUERY_MAX_CHARS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

/** The input of `files.totals`, and with `sort` of `files.list`. */
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
