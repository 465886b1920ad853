import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/server.ts'
import { createTokenSource } from '../src/token-source.ts'

const NOW = Date.parse('2026-11-21T12:00:00.000Z')
/** A user token that expires this many seconds after `NOW`. */
const userToken = (seconds: number) => `ut_${btoa(JSON.stringify({ exp: NOW / 1000 + seconds }))}.signature`

describe('the token source of a client', () => {
  test('asks when it has no token or the last one expires soon, once for parallel calls', async () => {
    let now = NOW
    let calls = 0
    const tokens = createTokenSource(
      async () => userToken(900 * ++calls),
      () => now,
    )
    const first = await Promise.all([tokens.get(), tokens.get(), tokens.get()])
    expect([new Set(first).size, calls]).toEqual([1, 1])
    now += 869_000
    expect([await tokens.get(), calls]).toEqual([first[0], 1])
    now += 1_000
    expect([await tokens.get(), calls]).toEqual([userToken(1800), 2])
  })

  test('replaces a rejected token once, unless another call has replaced it', async () => {
    let calls = 0
    const tokens = createTokenSource(
      async () => userToken(900 + ++calls),
      () => NOW,
    )
    const first = (await tokens.get())!
    const replaced = await Promise.all([tokens.replace(first), tokens.replace(first)])
    expect([replaced, calls]).toEqual([[userToken(902), userToken(902)], 2])
    expect([await tokens.replace(first), calls]).toEqual([userToken(902), 2])
  })

  test('asks again after the function failed', async () => {
    let calls = 0
    const tokens = createTokenSource(async () => {
      if (++calls === 1) throw new Error('offline')
      return userToken(900)
    })
    await expect(tokens.get()).rejects.toThrow('offline')
    expect(await tokens.get()).toBe(userToken(900))
  })

  test('does not ask before every call on a device whose clock is ahead', async () => {
    let calls = 0
    const ahead = createTokenSource(
      async () => userToken(60 * ++calls),
      () => NOW + 86_400_000,
    )
    await ahead.get()
    await ahead.get()
    expect(calls).toBe(1)
  })

  test('calls a function that returns a string for every request, and gives its tokens no second chance', async () => {
    let session: string | undefined = 'one'
    const tokens = createTokenSource(() => session)
    expect(tokens.get()).toBe('one')
    session = 'two'
    expect(tokens.get()).toBe('two')
    expect(await tokens.replace('two')).toBeUndefined()
    session = undefined
    expect(tokens.get()).toBeUndefined()
  })
})

describe('verifyWebhook', () => {
  const secret = `whsec_${btoa('a secret of at least 24 bytes')}`
  const event = {
    type: 'file.ready',
    timestamp: '2026-11-21T12:00:00.000Z',
    sequence: 7,
    data: { fileId: 'x' },
  }
  function delivery(options: { at?: Date; body?: string; signed?: string; signature?: string } = {}) {
    const { at = new Date(), body = JSON.stringify(event), signed = body } = options
    const signature = options.signature ?? new Webhook(secret).sign('msg_1', at, signed)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    }
    return new Request('https://app.example.com/webhooks', { method: 'POST', headers, body })
  }

  test('returns the event of a delivery that was signed with this secret', async () => {
    expect(await verifyWebhook(delivery(), secret)).toEqual({ id: 'msg_1', ...event })
    const several = `v1,AAAA v1a,x ${new Webhook(secret).sign('msg_1', new Date(), JSON.stringify(event))}`
    expect(await verifyWebhook(delivery({ signature: several }), secret)).toMatchObject({ id: 'msg_1' })
  })

  test.each([
    ['another body', () => delivery({ signed: '{}' }), secret],
    ['another secret', () => delivery(), `whsec_${btoa('another secret of 24 bytes')}`],
    ['no secret', () => delivery(), 'whsec_'],
    ['an old delivery', () => delivery({ at: new Date(Date.now() - 301_000) }), secret],
    ['a delivery of the future', () => delivery({ at: new Date(Date.now() + 330_000) }), secret],
    ['no signature', () => new Request('https://app.example.com', { method: 'POST', body: '{}' }), secret],
    ['a malformed signature', () => delivery({ signature: 'v1,%%%' }), secret],
  ])('rejects %s', async (_, request, key) => {
    await expect(verifyWebhook(request(), key)).rejects.toBeInstanceOf(WebhookVerificationError)
  })
})
