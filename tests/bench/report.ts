export type Report = {
  /** One object per line of the table; ratios are against a baseline taken in the same run. */
  rows: Array<Record<string, string | number>>
  /** Method, aims and what the rows do not say, one sentence a line. */
  notes?: string[]
  /** An aim was missed: the command ends with 1. */
  failed?: boolean
}

/** What tests/bench/NAME.ts exports. `args`: what follows NAME on the command line. */
export type Bench = { run(args: string[]): Promise<Report> }
