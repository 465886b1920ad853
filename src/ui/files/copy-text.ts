/** Copies a text to the clipboard. Returns true on success. Pages on plain HTTP have no `navigator.clipboard`. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard) {
    try {
      await clipboard.writeText(text)
      return true
    } catch {
      // Permission denied. execCommand may still work.
    }
  }
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('readonly', '')
  field.className = 'sr-only'
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  return copied
}
