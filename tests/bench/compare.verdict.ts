/** A version that is slower by more than this share, beyond the spread of the pairs, fails. */
const TOLERANCE = 0.05

export type Verdict = 'faster' | 'slower' | 'no difference shown'

export type Comparison = {
  median: number
  least: number
  most: number
  verdict: Verdict
  /** True if slower by more than 5%. */
  failed: boolean
}

/**
 * Compares the ratios of pairs measured in turn, each the new version's value divided by the old one's. A difference is
 * shown if every pair agrees: with 7 pairs of equal versions, that happens in 1 of 64 comparisons.
 */
export function compareRatios(ratios: number[], better: 'higher' | 'lower'): Comparison {
  const sorted = ratios.toSorted((a, b) => a - b)
  const least = sorted[0]!
  const most = sorted.at(-1)!
  const median = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2
  const verdict = least > 1 ? at('higher') : most < 1 ? at('lower') : 'no difference shown'
  const loss = better === 'higher' ? 1 - median : median - 1
  return { median, least, most, verdict, failed: verdict === 'slower' && loss > TOLERANCE }

  function at(side: 'higher' | 'lower'): Verdict {
    return side === better ? 'faster' : 'slower'
  }
}
