import { expect, test } from 'vitest'
import { createPasswords } from '../../src/server/auth/password.ts'

const { hash: hashPassword, verify: verifyPassword } = createPasswords()

test('a hash opens to its password only, and two hashes of one password differ', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(one).not.toBe(two)
  expect(await verifyPassword('correct horse', one)).toEqual({ ok: true, outdated: false })
  expect(await verifyPassword('correct horsf', one)).toEqual({ ok: false, outdated: false })
})

test('no hash, or one that cannot be read, costs as much as a wrong password', async () => {
  const hash = await hashPassword('correct horse')
  const cpuOf = async (stored: string | null) => {
    const before = process.cpuUsage()
    for (let i = 0; i < 2; i++) expect((await verifyPassword('wrong', stored)).ok).toBe(false)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const wrong = await cpuOf(hash)
  for (const stored of [null, 'md5:1234', '$scrypt$ln=40,r=8,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAA'])
    expect(await cpuOf(stored)).toBeGreaterThan(wrong / 2)
})
