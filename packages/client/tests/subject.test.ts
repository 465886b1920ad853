import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { PROGRESS_MS, Subject } from '../src/upload/progress/subject.ts'

test('all changes of one task are published together, so that a page draws once', async () => {
  const published: string[] = []
  const [one, two] = ['one', 'two'].map((name) => {
    const subject = new Subject(() => name)
    subject.subscribe(() => {
      published.push(name)
      setImmediate(() => published.push('a later task'))
    })
    return subject
  })
  // First publish the two at different times.
  one!.publish()
  await sleep(PROGRESS_MS / 3)
  two!.publish()
  await sleep(1)
  published.length = 0

  const both = new Promise<void>((resolve) => two!.subscribe(resolve))
  one!.publishProgress()
  two!.publishProgress()
  await both
  expect(published).toEqual(['one', 'two'])
})

test('a total is published after the values that it sums, whichever changed first', async () => {
  let sent = 0
  const upload = new Subject(() => sent)
  const total = new Subject(() => upload.getSnapshot())
  const published = new Promise<number>((resolve) => total.subscribe(() => resolve(total.getSnapshot())))
  total.publishProgress()
  sent = 1
  upload.publishProgress()
  total.publishProgress()
  expect(await published).toBe(1)
})

test('progress is published at most four times a second', async () => {
  const at: number[] = []
  const subject = new Subject(() => null)
  subject.subscribe(() => at.push(performance.now()))
  while (at.length < 3) {
    subject.publishProgress()
    await sleep(20)
  }
  subject.stop()
  // Timers of Node can fire a millisecond early.
  for (const [i, time] of at.slice(1).entries()) expect(time - at[i]!).toBeGreaterThan(PROGRESS_MS - 2)
})

test('a value published immediately is not published again, and nothing is published after stop', async () => {
  let published = 0
  const [subject, ended] = [new Subject(() => null), new Subject(() => null)]
  subject.subscribe(() => published++)
  ended.subscribe(() => published++)
  subject.publishProgress()
  ended.publishProgress()
  subject.publish()
  ended.stop()
  await sleep(PROGRESS_MS * 1.5)
  expect(published).toBe(1)
})
