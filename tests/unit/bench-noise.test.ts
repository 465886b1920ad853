import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { describeNoise, median, noiseOf, noiseOfRounds } from '../bench/noise.ts'
import { layersOf } from '../bench/profile.layers.ts'

describe('the noise of a benchmark', () => {
  test('compares two measurements by the figures that both have', () => {
    const noise = noiseOf('send', { rate: 100, CPU: 50 }, { rate: 90, CPU: 55, other: 1 })
    expect(noise).toEqual({ subject: 'send', ratios: { rate: 0.9, CPU: 1.1 } })
    expect(describeNoise(noise)).toBe(
      'Noise: "send", measured twice, has 0.90 of its own rate and 1.10 of its own CPU.',
    )
  })

  test('compares the odd rounds with the even ones', () => {
    expect(noiseOfRounds('start', 'time', [1, 2, 1, 2]).ratios).toEqual({ time: 2 })
    expect(noiseOfRounds('start', 'time', [9, 3, 1, 2], (times) => Math.min(...times)).ratios).toEqual({
      time: 2,
    })
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })

  test('is part of every benchmark’s report', () => {
    const folder = new URL('../bench/', import.meta.url)
    const benchmarks = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const)
      .filter(([, text]) => text.includes('export async function run('))
    expect(benchmarks.length).toBeGreaterThan(20)
    for (const [file, text] of benchmarks)
      expect(text, file).toMatch(/export async function run\(.*\): Promise<BenchReport>/)
  })
})

describe('the layers of a profile', () => {
  const file = (name: string) => ({ functionName: name, url: `file:///app/${name}` })
  /** Stacks: root > serve > pg > node:net, root > serve > node:net, root > (idle). A sample takes 10 µs. */
  const profile = {
    startTime: 0,
    nodes: [
      { id: 1, callFrame: { functionName: '(root)', url: '' }, children: [2, 6] },
      { id: 2, callFrame: file('src/cli/serve/call-route.ts'), children: [3, 5] },
      { id: 3, callFrame: file('node_modules/pg/lib/client.js'), children: [4] },
      { id: 4, callFrame: { functionName: 'writev', url: 'node:net' } },
      { id: 5, callFrame: { functionName: 'writev', url: 'node:net' } },
      { id: 6, callFrame: { functionName: '(idle)', url: '' } },
    ],
    samples: [4, 5, 5, 6, 4],
    timeDeltas: [10, 10, 10, 10, 10],
  }
  const times = (window: { from: number; to: number }) =>
    Object.fromEntries(layersOf(profile, window).map(({ layer, micros }) => [layer, micros]))

  test('count Node’s functions for the layer that called them, without idle time', () => {
    expect(times({ from: 0, to: 100 })).toEqual({ statement: 20, request: 20 })
  })

  test('count only samples of the measured time', () => {
    expect(times({ from: 15, to: 45 })).toEqual({ request: 20 })
  })
})
