import { ROOT } from '../../src/cli/build-if-needed.ts'
import { checkOut } from './compare.checkout.ts'
import { GROUPS, type Group, type Measured, startVersion, type Version } from './compare.subjects.ts'
import { compareRatios } from './compare.verdict.ts'
import { round } from './load.ts'
import { median, type Noise, noiseOfRounds } from './noise.ts'
import type { BenchReport, Report } from './report.ts'

const PAIRS = 7

/**
 * Compares the working tree with a commit, in one run: `npm run bench -- compare REV [NAME...]`. Both versions are
 * measured in turn, so that whatever else the machine does affects both.
 */
export async function run([revision, ...names]: string[]): Promise<BenchReport> {
  if (revision === undefined) throw new Error('Usage: npm run bench -- compare REV [NAME...]')
  const unknown = names.find((name) => !Object.hasOwn(GROUPS, name))
  if (unknown !== undefined)
    throw new Error(
      `There is nothing to compare called ${unknown}. There are: ${Object.keys(GROUPS).join(', ')}`,
    )
  await using closing = new AsyncDisposableStack()
  const { root, commit } = await checkOut(revision)
  const before = await startVersion(closing, root)
  const after = await startVersion(closing, ROOT)
  const rows: Report['rows'] = []
  let failed = false
  let noise: Noise | null = null
  for (const [name, group] of Object.entries(GROUPS) as [string, Group][]) {
    if (names.length > 0 && !names.includes(name)) continue
    for (const { what, pairs } of await measure(group, closing, before, after)) {
      const olds = pairs.map(([old]) => old)
      noise ??= {
        subject: `${what}, the older version`,
        ratios: {
          ...noiseOfRounds(
            what,
            'rate',
            olds.map(({ perSecond }) => perSecond),
          ).ratios,
          ...noiseOfRounds(
            what,
            'CPU',
            olds.map(({ cpuMicros }) => cpuMicros),
          ).ratios,
        },
      }
      for (const [figure, better] of [
        ['perSecond', 'higher'],
        ['cpuMicros', 'lower'],
      ] as const) {
        const comparison = compareRatios(
          pairs.map(([old, now]) => now[figure] / old[figure]),
          better,
        )
        failed ||= comparison.failed
        rows.push({
          benchmark: name,
          what,
          figure: figure === 'perSecond' ? 'per second' : 'server CPU µs',
          before: sensible(median(olds.map((old) => old[figure]))),
          after: sensible(median(pairs.map(([, now]) => now[figure]))),
          ratio: round(comparison.median, 3),
          spread: `${comparison.least.toFixed(2)} to ${comparison.most.toFixed(2)}`,
          verdict: comparison.verdict,
        })
      }
    }
  }
  return {
    rows,
    failed,
    noise,
    notes: [
      `The working tree compared with ${commit.slice(0, 12)}: medians of ${PAIRS} pairs of alternating rounds, and of their ratios. A difference counts only if all pairs agree.`,
      failed ? 'Something is slower by more than 5%.' : 'Nothing is slower by more than 5%.',
    ],
  }
}

type Pairs = Array<[Measured, Measured]>

async function measure(group: Group, closing: AsyncDisposableStack, before: Version, after: Version) {
  const [old, now] = [await group(before, closing), await group(after, closing)]
  const results = Object.keys(now).map((what) => ({ what, pairs: [] as Pairs }))
  for (let n = 0; n < PAIRS; n++)
    for (const { what, pairs } of results) {
      // The versions take turns in going first, because a round affects the next one.
      const first = n % 2 === 0 ? await old[what]!() : undefined
      const second = await now[what]!()
      pairs.push([first ?? (await old[what]!()), second])
    }
  return results
}

function sensible(value: number): number {
  return round(value, value < 10 ? 2 : 0)
}
