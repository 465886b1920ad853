/** Larger files are not opened, because the library keeps a whole file in memory. */
const MAX_BYTES = 50 * 1024 * 1024
/** Viewers find the end of a PDF in its last KB. */
const END_BYTES = 2048

/**
 * Returns false for a PDF that is too large, or broken because it lacks its end. The library would search all of such a
 * file for pages.
 */
export async function isOpenable(file: Blob): Promise<boolean> {
  return file.size <= MAX_BYTES && (await file.slice(-END_BYTES).text()).includes('%%EOF')
}
