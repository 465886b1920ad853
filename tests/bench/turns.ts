import { type Comparison, compareRatios } from './compare.verdict.ts'
import { best, type Call, type LoadOutput, load } from './load.ts'

export type Subject = {
  of: { url: string; pid: number }
  calls: Call[]
  connections: number
}

type Figures = Pick<LoadOutput, 'perSecond' | 'cpuMicrosPerCall'>
type Turns = { rounds: number; secondsPerRound: number }

/**
 * Measures each subject once per round, so that other work on the machine affects all of them equally, and the first
 * one twice. Returns each one's best round, and a sentence about the noise: how much the first one differs from itself.
 */
export async function takeTurns<Name extends string>(
  subjects: Record<Name, Subject>,
  { rounds, secondsPerRound }: Turns,
): Promise<{ results: Record<Name, LoadOutput>; noise: string }> {
  const names = Object.keys(subjects) as Name[]
  const first = names[0]!
  const outputs = names.map((): LoadOutput[] => [])
  const again: LoadOutput[] = []
  const measure = (subject: Subject, warmUpSeconds: number) =>
    measureOnce(subject, secondsPerRound, warmUpSeconds)
  for (let n = 0; n < rounds; n++) {
    for (const [i, name] of names.entries()) outputs[i]!.push(await measure(subjects[name], n === 0 ? 2 : 1))
    again.push(await measure(subjects[first], 1))
  }
  const results = Object.fromEntries(names.map((name, i) => [name, best(outputs[i]!)])) as Record<
    Name,
    LoadOutput
  >
  return { results, noise: noiseOf(first, results[first], best(again)) }
}

/**
 * Compares the CPU of two subjects of one process in `pairs` of turns. In each, `base` runs before and after `other`, so
 * a machine that becomes slower or faster affects both. `noise` compares these two runs of `base`.
 */
export async function comparePairs(
  { base, other }: { base: Subject; other: Subject },
  { pairs, secondsPerTurn }: { pairs: number; secondsPerTurn: number },
): Promise<{ cpu: Comparison; noise: Comparison }> {
  const cpu: number[] = []
  const noise: number[] = []
  for (let n = 0; n < pairs; n++) {
    const micros = async (subject: Subject) =>
      (await measureOnce(subject, secondsPerTurn, 1)).cpuMicrosPerCall
    const before = await micros(base)
    const between = await micros(other)
    const after = await micros(base)
    cpu.push((2 * between) / (before + after))
    noise.push(after / before)
  }
  return { cpu: compareRatios(cpu, 'lower'), noise: compareRatios(noise, 'lower') }
}

const measureOnce = ({ of, ...subject }: Subject, seconds: number, warmUpSeconds: number) =>
  load({ ...subject, origin: of.url, serverPid: of.pid, seconds, warmUpSeconds })

/** Describes how much two measurements of one subject differ. */
export function noiseOf(name: string, one: Figures, other: Figures): string {
  const rate = other.perSecond / one.perSecond
  const cpu = other.cpuMicrosPerCall / one.cpuMicrosPerCall
  return `Noise: "${name}", measured twice, has ${rate.toFixed(2)} of its own rate and ${cpu.toFixed(2)} of its own CPU.`
}
