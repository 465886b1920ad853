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
  const measure = ({ of, ...subject }: Subject, warmUpSeconds: number) =>
    load({ ...subject, origin: of.url, serverPid: of.pid, seconds: secondsPerRound, warmUpSeconds })
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

/** Describes how much two measurements of one subject differ. */
export function noiseOf(name: string, one: Figures, other: Figures): string {
  const rate = other.perSecond / one.perSecond
  const cpu = other.cpuMicrosPerCall / one.cpuMicrosPerCall
  return `Noise: "${name}", measured twice, has ${rate.toFixed(2)} of its own rate and ${cpu.toFixed(2)} of its own CPU.`
}
