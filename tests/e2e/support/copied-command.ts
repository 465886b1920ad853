import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'

/** Copies the command in this figure and runs it in a shell. Returns the command and its output. */
export async function runCopiedCommand(figure: Locator): Promise<{ command: string; printed: string }> {
  await figure.getByRole('button', { name: 'Copy' }).click()
  await figure.getByRole('button', { name: 'Copied' }).waitFor()
  const command = await figure.page().evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('bash', ['-c', command])
  return { command, printed: stdout }
}
