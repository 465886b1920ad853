import { type Comparison, compareRatios } from './compare.verdict.ts'
import { best, type Call, type LoadOutput, load } from './load.ts'
import { median, type Noise, noiseOf } from './noise.ts'

export type Subject = {
  of: { url: string; pid: number }
  calls: Call[]
  connections: number
}

/** `cpuMicrosPerCall`: CPU of the measured process only. */
export type Figures = Pick<LoadOutput, 'perSecond' | 'cpuMicrosPerCall'>
type Turns = { rounds: number; secondsPerRound: number }

/**
 * Measures each subject once per round, so that other work on the machine affects all of them equally, and the first
 * one twice. Returns each one's best round, and how much the first one differs from itself.
 */
export async function takeTurns<Name extends string>(
  subjects: Record<Name, Subject>,
  { rounds, secondsPerRound }: Turns,
): Promise<{ results: Record<Name, LoadOutput>; noise: Noise }> {
  const names = Object.keys(subjects) as Name[]
  const first = names[0]!
  const outputs = names.map((): LoadOutput[] => [])
  const again: LoadOutput[] = []
  for (let n = 0; n < rounds; n++) {
    for (const [i, name] of names.entries())
      outputs[i]!.push(await measureOnce(subjects[name], secondsPerRound, n === 0 ? 2 : 1))
    again.push(await measureOnce(subjects[first], secondsPerRound))
  }
  const results = Object.fromEntries(names.map((name, i) => [name, best(outputs[i]!)])) as Record<
    Name,
    LoadOutput
  >
  return { results, noise: noiseOf(first, figuresOf(results[first]), figuresOf(best(again))) }
}

/** A comparison of two subjects: medians of their figures, and the ratios of the pairs. */
export type PairsResult<T extends Figures> = {
  base: T[]
  other: T[]
  rate: Comparison
  cpu: Comparison
  noise: Noise
  cpuNoise: Comparison
}

/**
 * Compares two subjects in `pairs` of turns. In each, `base` runs before and after `other`, so a machine that becomes
 * slower or faster affects both. The noise compares these two runs of `base`.
 */
export async function comparePairs<T extends Figures>(
  { name, base, other }: { name: string; base: () => Promise<T>; other: () => Promise<T> },
  pairs: number,
): Promise<PairsResult<T>> {
  const [before, between, after]: [T[], T[], T[]] = [[], [], []]
  for (let n = 0; n < pairs; n++) {
    before.push(await base())
    between.push(await other())
    after.push(await base())
  }
  const ratios = (figure: keyof Figures) =>
    between.map((one, n) => (2 * one[figure]) / (before[n]![figure] + after[n]![figure]))
  const own = (figure: keyof Figures) => after.map((one, n) => one[figure] / before[n]![figure])
  return {
    base: [...before, ...after],
    other: between,
    rate: compareRatios(ratios('perSecond'), 'higher'),
    cpu: compareRatios(ratios('cpuMicrosPerCall'), 'lower'),
    noise: {
      subject: name,
      ratios: { rate: median(own('perSecond')), CPU: median(own('cpuMicrosPerCall')) },
    },
    cpuNoise: compareRatios(own('cpuMicrosPerCall'), 'lower'),
  }
}

export const measureOnce = ({ of, ...subject }: Subject, seconds: number, warmUpSeconds = 1) =>
  load({ ...subject, origin: of.url, serverPid: of.pid, seconds, warmUpSeconds })

/** Returns rate and CPU under the names in which noise is printed. */
export function figuresOf({ perSecond, cpuMicrosPerCall }: Figures): Record<string, number> {
  return { rate: perSecond, CPU: cpuMicrosPerCall }
}
