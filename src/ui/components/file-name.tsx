/** Characters at the end of a long name that are always visible: usually the extension and what distinguishes versions. */
const TAIL_CHARS = 8
/** Shorter names fit on phones. */
const LONG_CHARS = 12

type FileNameProps = {
  name: string
  /** The element around it has the name as its `aria-label`. */
  hasLabel?: boolean
}

/** The text of a name. A long one that does not fit is cut in its middle. The parent needs `min-w-0` and `flex`. */
export function FileName(props: FileNameProps) {
  if ([...props.name].length <= LONG_CHARS) return <span className="truncate">{props.name}</span>
  return <CutName {...props} />
}

/** The two parts of a long name. Screen readers get the whole name, because they would read the parts as two words. */
function CutName({ name, hasLabel }: FileNameProps) {
  // Code points, so that no character is cut in two.
  const chars = [...name]
  return (
    <>
      {/* Not selectable, so that copied text has the name only once. */}
      {!hasLabel && <span className="sr-only select-none">{name}</span>}
      <span aria-hidden="true" className="truncate whitespace-pre">
        {chars.slice(0, -TAIL_CHARS).join('')}
      </span>
      <span aria-hidden="true" className="shrink-0 whitespace-pre">
        {chars.slice(-TAIL_CHARS).join('')}
      </span>
    </>
  )
}
