/** Layout of the files. */
export type FileLayout = 'list' | 'grid'

export const LAYOUT_COOKIE = 'pigeonhole-files'

export const parseFileLayout = (value: string | undefined): FileLayout => (value === 'grid' ? 'grid' : 'list')
