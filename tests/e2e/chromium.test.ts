import { expect, test } from 'vitest'
import { browser, missing } from './support/site.ts'

test('a Chromium runs here, for the browser tests', async () => {
  await browser?.close()
  if (missing === undefined) return
  console.warn(
    `BROWSER TESTS LEFT OUT: no Chromium runs here (${missing}). Install one, e.g. apt-get install chromium.`,
  )
  expect(process.env.CI, 'in CI browser tests must not be left out').toBeFalsy()
})
