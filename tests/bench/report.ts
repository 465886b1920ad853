import type { Noise } from './noise.ts'

export type Report = {
  /** One object per row of the table. Ratios compare with a baseline measured in the same run. */
  rows: Array<Record<string, string | number>>
  /** Method, targets and other remarks, one sentence per line. */
  notes?: string[]
  /** True if a target was missed. The command then exits with 1. */
  failed?: boolean
  /** Further tables. */
  more?: Report[]
}

/** `noise`: what was measured twice; null if the benchmark measures no speed. */
export type BenchReport = Report & { noise: Noise | null }

/** Exports of tests/bench/NAME.ts. `args`: arguments after NAME on the command line. */
export type Bench = { run(args: string[]): Promise<BenchReport> }
