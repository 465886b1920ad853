/** Nine pigeonholes, one of them occupied. */
function Mark() {
  const cells = [2, 9, 16].flatMap((y) => [2, 9, 16].map((x) => ({ x, y })))
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false" className="size-7">
      {cells.map(({ x, y }) => (
        <rect
          key={`${x}-${y}`}
          {...{ x, y, width: 6, height: 6, rx: 1.5 }}
          className={x === 16 && y === 2 ? 'fill-accent' : 'fill-accent-faint'}
        />
      ))}
    </svg>
  )
}

type LogoProps = {
  /** Classes of the name beside the mark. */
  nameClass?: string
}

export function Logo({ nameClass }: LogoProps) {
  return (
    <span className="flex items-center gap-2.5 text-lg font-semibold tracking-tight">
      <Mark />
      <span className={nameClass}>Pigeonhole</span>
    </span>
  )
}
