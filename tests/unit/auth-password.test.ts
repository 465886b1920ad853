import { expect, test } from 'vitest'
import { createPasswords } from '../../src/server/domain/accounts/password.ts'

/** A hash at the production cost takes 0.2 s of CPU. */
const cheap = createPasswords({ logN: 13, r: 8, p: 1 })

test('a hash matches only its password, and two hashes of one password differ', async () => {
  const production = createPasswords()
  const one = await production.hash('correct horse')
  expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(await production.verify('correct horse', one)).toEqual({ ok: true, outdated: false })
  const [two, three] = await Promise.all([cheap.hash('correct horse'), cheap.hash('correct horse')])
  expect(two).not.toBe(three)
  expect(await cheap.verify('correct horse', two)).toEqual({ ok: true, outdated: false })
  expect(await cheap.verify('correct horsf', two)).toEqual({ ok: false, outdated: false })
})

test('a missing or unreadable hash takes as much CPU as a wrong password', async () => {
  const hash = await cheap.hash('correct horse')
  /** Returns the minimum of a few measurements, because this process also does other work. */
  const cpuOf = async (stored: string | null) => {
    const each: number[] = []
    for (let i = 0; i < 4; i++) {
      const before = process.cpuUsage()
      expect((await cheap.verify('wrong', stored)).ok).toBe(false)
      const { user, system } = process.cpuUsage(before)
      each.push(user + system)
    }
    return Math.min(...each)
  }
  const wrong = await cpuOf(hash)
  for (const stored of [null, 'md5:1234', '$scrypt$ln=40,r=8,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAA'])
    expect(await cpuOf(stored)).toBeGreaterThan(wrong / 2)
})
