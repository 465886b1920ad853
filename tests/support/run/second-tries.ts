// Vitest says which tests passed at their second try only; this says why the first one failed.

import type { Reporter, TestCase } from 'vitest/node'

export class SecondTries implements Reporter {
  private readonly told: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return
    const [error] = test.result().errors ?? []
    const ours = error?.stack?.split('\n').filter((line) => !line.includes('/node_modules/')) ?? []
    const what = [...ours, error?.diff ?? ''].join('\n')
    this.told.push(`${test.module.relativeModuleId} > ${test.fullName}\n${what}\n`)
  }

  onTestRunEnd(): void {
    if (this.told.length > 0)
      console.log(`\nPassed at the second try. What the first one met:\n\n${this.told.join('\n')}`)
  }
}
