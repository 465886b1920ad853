import { describe, expect, test } from 'vitest'
import { compareRatios } from '../bench/compare.verdict.ts'

describe('a comparison of two versions', () => {
  test.each([
    ['a rate that is lower in every pair', [0.8, 0.9, 0.85], 'higher', 'slower', true],
    ['a rate that is lower by less than 5%', [0.96, 0.97, 0.98], 'higher', 'slower', false],
    ['CPU that is higher in every pair', [1.2, 1.06, 1.1], 'lower', 'slower', true],
    ['CPU that is lower in every pair', [0.7, 0.9, 0.8], 'lower', 'faster', false],
    ['a rate that is higher in every pair', [1.3, 1.1], 'higher', 'faster', false],
    ['pairs that disagree', [0.5, 1.01, 0.6], 'higher', 'no difference shown', false],
  ] as const)('classifies %s', (_, ratios, better, verdict, failed) => {
    expect(compareRatios([...ratios], better)).toMatchObject({ verdict, failed })
  })

  test('reports the median and the range of the pairs', () => {
    expect(compareRatios([1.1, 0.9, 1.3, 1], 'higher')).toMatchObject({ median: 1.05, least: 0.9, most: 1.3 })
  })
})
