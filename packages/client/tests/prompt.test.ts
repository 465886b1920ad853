import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { ask } from '../src/cli/prompt.ts'

afterEach(() => vi.restoreAllMocks())

test('the terminal’s echo is off before the question for a password appears, even for a script that types at once', async () => {
  const events: string[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => events.push(on ? 'echo off' : 'echo on'),
  })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => events.push(String(text)) > 0)
  const answer = ask('Password: ', { hidden: true, otherwise: 'no terminal' })
  stdin.write('correct horse\n')
  expect(await answer).toBe('correct horse')
  expect(events).toEqual(['echo off', 'Password: ', 'echo on', '\n'])
})
