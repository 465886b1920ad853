import { type Phones, startPhones } from '@pigeonhole/emulators/phones'
import { afterEach, expect, test } from 'vitest'
import { ADMIN_SECRET } from '../support/process/built-server.ts'
import { describeSite, type Site, until } from './support/site.ts'

const PASSWORD = 'a password for the browser tests'
let phones: Phones | undefined
afterEach(() => phones?.close())

/** Opens the page with a new user's phones; `send` uses that user's push token. */
async function withPhones(site: Site) {
  const user = await site.user({ password: PASSWORD })
  const login = { email: user.email, password: PASSWORD }
  phones = await startPhones({ port: 0, appUrl: site.server.url, login, gateways: site.server.stack })
  const made = await site.server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'test' })
  const page = await site.open(null, { path: '/signin' })
  await page.goto(phones.url)
  const send = (push: object) => site.server.post('/api/push/send', made.body.token, push)
  return { user, page, send }
}

describeSite('virtual phones', (site) => {
  test('both phones register and show a push; the next one with its collapse id replaces it', async () => {
    const { user, page, send } = await withPhones(site)
    const { items } = await site.server.ok(user, 'devices.list')
    expect(items.map((one: { platform: string }) => one.platform).sort()).toEqual(['android', 'ios'])
    const iphone = page.getByRole('region', { name: 'Demo iPhone' })
    const android = page.getByRole('region', { name: 'Demo Android' })
    await iphone.getByText('No pushes yet.').waitFor()
    await send({ title: 'Hello', body: 'Sent with curl', data: { orderId: 42 }, collapseId: 'one' })
    await iphone.getByText('Sent with curl').waitFor()
    await iphone.getByText('{"orderId":42}').waitFor()
    await android.getByText('Sent with curl').waitFor()
    await send({ title: 'Hello', body: 'Sent again', collapseId: 'one' })
    await iphone.getByText('Sent again').waitFor()
    await android.getByText('Sent again').waitFor()
    expect(await page.getByText('Sent with curl').count()).toBe(0)
  })

  test('the first push after removing the app unregisters the phone; installing it registers it again', async () => {
    const { user, page, send } = await withPhones(site)
    await page.getByRole('button', { name: 'Remove the app: Demo iPhone' }).click()
    await page.getByText('The app is removed.').waitFor()
    const { body } = await send({ title: 'Hello', body: 'Anybody there?' })
    expect(body).toMatchObject({ status: 'completed', sent: 1, removed: 1 })
    const platforms = async () =>
      (await site.server.ok(user, 'devices.list')).items.map((one: { platform: string }) => one.platform)
    expect(await platforms()).toEqual(['android'])
    await page.getByRole('button', { name: 'Install the app again: Demo iPhone' }).click()
    await until('it has registered', async () => (await platforms()).includes('ios'))
    await send({ title: 'Hello', body: 'Welcome back' })
    await page.getByRole('region', { name: 'Demo iPhone' }).getByText('Welcome back').waitFor()
  })

  test('more phones can be added', async () => {
    const { user, page } = await withPhones(site)
    await page.getByRole('button', { name: 'Add an Android phone' }).click()
    await page.getByRole('region', { name: 'Android 3' }).waitFor()
    expect((await site.server.ok(user, 'devices.list')).items).toHaveLength(3)
  })
})
