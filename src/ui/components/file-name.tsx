/** Characters at the end of a long name that are always visible: usually the extension and what distinguishes versions. */
const TAIL_CHARS = 8
/** Shorter names fit on phones. */
const LONG_CHARS = 12

/** Names of this length fit into two lines of a tile on a phone, wherever they break. */
const TILE_CHARS = 20
/** Characters in the second line of a tile. */
const TILE_TAIL_CHARS = 12

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

/** The text of a name in at most two lines. The second line of a long one is its end. */
export function TileName({ name }: { name: string }) {
  const chars = [...name]
  if (chars.length <= TILE_CHARS) return <span className="line-clamp-2">{name}</span>
  return (
    <>
      <span className="block truncate whitespace-pre">{chars.slice(0, -TILE_TAIL_CHARS).join('')}</span>
      <span className="block truncate whitespace-pre">{chars.slice(-TILE_TAIL_CHARS).join('')}</span>
    </>
  )
}
