import { freePorts } from '../../src/cli/local/ports.ts'

/** Below the ports that systems give to outgoing connections (Linux: from 32,768). */
const RANGE = { from: 20_000, to: 32_000 }

/** Returns `count` free ports, from a random one on, so that test runs side by side rarely choose the same. */
export function randomPorts(count: number): Promise<number[]> {
  return freePorts(RANGE.from + Math.floor(Math.random() * (RANGE.to - RANGE.from)), count)
}
