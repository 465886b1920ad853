/** Characters at the end of a long name that are always visible: usually the extension and what distinguishes versions. */
const TAIL_CHARS = 8
/** Shorter names fit on phones, also in the grid. */
const LONG_CHARS = 16

/** The text of a name. A long one that does not fit is cut in its middle. The parent needs `min-w-0` and `flex`. */
export function FileName({ name }: { name: string }) {
  // Code points, so that no character is cut in two.
  const chars = [...name]
  if (chars.length <= LONG_CHARS) return <span className="truncate">{name}</span>
  return (
    <>
      <span className="truncate whitespace-pre">{chars.slice(0, -TAIL_CHARS).join('')}</span>
      <span className="shrink-0 whitespace-pre">{chars.slice(-TAIL_CHARS).join('')}</span>
    </>
  )
}
