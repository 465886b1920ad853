/** Puts a text on the clipboard; false: the browser does not allow it. Plain-http pages have only the old way. */
export async function copyText(text: string): Promise<boolean> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard) {
    try {
      await clipboard.writeText(text)
      return true
    } catch {
      // Not allowed for this page; the old way may be.
    }
  }
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('readonly', '')
  field.className = 'sr-only'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  return done
}
