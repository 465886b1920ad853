import { describe, expect, test } from 'vitest'
import { callsOnOneMachine, fleetOf } from '../bench/capacity.model.ts'

const cost = { client: 50, replicas: 400, PostgreSQL: 100, nginx: 50 }
const database = { processors: 16, maxConnections: 1_000 }

describe('the capacity model', () => {
  test('one replica is limited by its one processor, several by the machine', () => {
    expect(callsOnOneMachine(cost, 1, 2)).toBe(2_500)
    expect(callsOnOneMachine(cost, 4, 2)).toBeCloseTo(3_333.3, 0)
  })

  test.each([
    [1, 2_500, 0.25, 76, 'replicas'],
    [10, 25_000, 2.5, 760, 'replicas'],
    [100, 160_000, 16, 7_600, 'connections'],
  ])('%i replicas: %i calls per second', (replicas, calls, processors, connections, bottleneck) => {
    expect(fleetOf(cost, replicas, database)).toEqual({
      callsPerSecond: calls,
      postgresProcessors: processors,
      connections,
      firstBottleneck: bottleneck,
    })
  })

  test('PostgreSQL is the first bottleneck behind a pooler', () => {
    const pooled = { processors: 16, maxConnections: 10_000 }
    expect(fleetOf(cost, 100, pooled).firstBottleneck).toBe('PostgreSQL')
  })
})
