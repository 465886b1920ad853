import clsx from 'clsx'

/** Characters at the end of a long name that are always visible: usually the extension and what distinguishes versions. */
const TAIL_CHARS = 8
/** Shorter names fit on phones. */
const LONG_CHARS = 12

/** Names of this length fit into two lines of a tile on a phone, wherever they break. */
const TILE_CHARS = 20
/** Characters in the second line of a tile. */
const TILE_TAIL_CHARS = 12

type FileNameProps = {
  name: string
  /** The element around it has the name as its `aria-label`. */
  hasLabel?: boolean
}

/** The text of a name. A long one that does not fit is cut in its middle. The parent needs `min-w-0` and `flex`. */
export function FileName(props: FileNameProps) {
  if ([...props.name].length <= LONG_CHARS) return <span className="truncate">{props.name}</span>
  return <CutName {...props} tailChars={TAIL_CHARS} startClass="truncate" tailClass="shrink-0" />
}

/** The text of a name in at most two lines. The second line of a long one is its end. */
export function TileName(props: FileNameProps) {
  if ([...props.name].length <= TILE_CHARS) return <span className="line-clamp-2">{props.name}</span>
  return (
    <CutName {...props} tailChars={TILE_TAIL_CHARS} startClass="block truncate" tailClass="block truncate" />
  )
}

type CutNameProps = FileNameProps & { tailChars: number; startClass: string; tailClass: string }

/** The two parts of a long name. Screen readers get the whole name, because they would read the parts as two words. */
function CutName({ name, hasLabel, tailChars, startClass, tailClass }: CutNameProps) {
  // Code points, so that no character is cut in two.
  const chars = [...name]
  return (
    <>
      {/* Not selectable, so that copied text has the name only once. */}
      {!hasLabel && <span className="sr-only select-none">{name}</span>}
      <span aria-hidden="true" className={clsx('whitespace-pre', startClass)}>
        {chars.slice(0, -tailChars).join('')}
      </span>
      <span aria-hidden="true" className={clsx('whitespace-pre', tailClass)}>
        {chars.slice(-tailChars).join('')}
      </span>
    </>
  )
}
