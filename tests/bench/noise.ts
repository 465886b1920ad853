/** A subject that a benchmark measured twice, and the second result divided by the first, by figure. */
export type Noise = { subject: string; ratios: Record<string, number> }

/** Compares two measurements of one subject. Only figures that both have count. */
export function noiseOf(
  subject: string,
  first: Record<string, number>,
  second: Record<string, number>,
): Noise {
  const figures = Object.keys(first).filter((figure) => Object.hasOwn(second, figure))
  return { subject, ratios: Object.fromEntries(figures.map((name) => [name, second[name]! / first[name]!])) }
}

/** Compares the even rounds of a subject with its odd ones, by the value that `pick` takes of each half. */
export function noiseOfRounds(
  subject: string,
  figure: string,
  rounds: readonly number[],
  pick: (values: number[]) => number = median,
): Noise {
  const half = (rest: number) => ({ [figure]: pick(rounds.filter((_, n) => n % 2 === rest)) })
  return noiseOf(subject, half(0), half(1))
}

export function describeNoise({ subject, ratios }: Noise): string {
  const parts = Object.entries(ratios).map(([figure, ratio]) => `${ratio.toFixed(2)} of its own ${figure}`)
  return `Noise: "${subject}", measured twice, has ${parts.join(' and ')}.`
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
}
