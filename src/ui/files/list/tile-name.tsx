import { createContext, useContext } from 'react'

/** Pixels between the end of a line and the tile's edge that the last word can leave empty. */
const SLACK = 8
/** Characters at the end that a long name always shows: the extension and what distinguishes versions. */
const TAIL_CHARS = 12

/** Width of the names in the grid in pixels and their CSS font. Null until the browser has measured them. */
export const TileNameSize = createContext<{ width: number; font: string } | null>(null)

type TileNameProps = {
  name: string
  /** The element around it has the name as its `aria-label`. */
  hasLabel: boolean
}

/** A name in at most two lines. A longer one is cut in its middle, so that the second line has its end. */
export function TileName({ name, hasLabel }: TileNameProps) {
  const size = useContext(TileNameSize)
  const shown = size ? cutToWidth(name, 2 * (size.width - SLACK), size.font) : name
  const isCut = shown !== name
  return (
    <>
      {/* Not selectable, so that copied text has the name only once. */}
      {isCut && !hasLabel && <span className="sr-only select-none">{name}</span>}
      <span
        data-tile-name
        aria-hidden={isCut}
        // Lines break anywhere, because a long word would leave half of the first line empty.
        className={isCut ? 'line-clamp-2 break-all' : 'line-clamp-2 wrap-anywhere'}
      >
        {shown}
      </span>
    </>
  )
}

let context: CanvasRenderingContext2D | null | undefined

/** Returns the name, or if it is wider than `maxWidth` pixels, as much of its start and end as fits. */
function cutToWidth(name: string, maxWidth: number, font: string): string {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return name
  context.font = font
  const fits = (text: string) => context!.measureText(text).width <= maxWidth
  if (fits(name)) return name
  // Code points, so that no character is cut in two.
  const chars = [...name]
  const tail = chars.slice(-TAIL_CHARS).join('')
  const cutAt = (count: number) => `${chars.slice(0, count).join('').trimEnd()}…${tail}`
  let [least, most] = [1, chars.length - TAIL_CHARS]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (fits(cutAt(middle))) least = middle
    else most = middle - 1
  }
  return cutAt(least)
}
