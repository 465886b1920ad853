// The Vite example with the packed packages, installed without a registry: uploads 50 MB with a reload in the middle, and
// shows a push on a virtual phone.

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createServerClient } from '@pigeonhole/client/server'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { mp4, scratch } from '../e2e/support/files.ts'
import { FILM_SIZE, openPage, sendAndSee, uploadWithReload } from '../e2e/support/own-app.ts'
import { chromiumFor, newContext } from '../support/browser/chromium.ts'
import { startProcess } from '../support/process/example.ts'
import { installAll, PATH, startDev, stopDev } from '../support/process/packed-server.ts'
import { randomPorts } from '../support/random-ports.ts'

const browser = await chromiumFor('the Vite example')
const files = scratch()
const temporary = mkdtempSync(join(inject('runFolder'), 'pigeonhole-vite-'))
const app = join(temporary, 'app')
const closers: (() => Promise<unknown>)[] = []

describe.skipIf(!browser)('with the packed packages', () => {
  beforeAll(async () => {
    mkdirSync(app)
    await installAll(app, { sections: ['install-client', 'install'], others: ['vite'] })
    const isCopied = (path: string) => !/node_modules|\.env|package\.json/.test(path.slice(ROOT.length))
    cpSync(join(ROOT, 'examples/vite'), app, { recursive: true, filter: isCopied })
  }, 600_000)
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  afterAll(() => rmSync(temporary, { recursive: true, force: true }))

  test('the Vite example, with a backend in its config, uploads and gets pushes', async () => {
    const [port, servicePort] = await randomPorts(2)
    const origin = `http://localhost:${port}`
    const env = `PIGEONHOLE_URL=\nPIGEONHOLE_KEY=\nVITE_PIGEONHOLE_URL=$PIGEONHOLE_URL\nCORS_ORIGINS=${origin}\n`
    writeFileSync(join(app, '.env.local'), env)
    const command = join(app, 'node_modules/.bin/pigeonhole')
    const service = await startDev({ command, app, port: servicePort! }, (dev) =>
      closers.push(() => stopDev(dev)),
    )
    const vite = [join(app, 'node_modules/vite/bin/vite.js'), '--port', String(port), '--strictPort']
    closers.push(await startProcess(vite, app, { PATH }, /Local:/))
    const context = await newContext({ locale: 'en-GB' })
    closers.push(() => context.close())

    const page = await openPage(context, origin)
    await uploadWithReload(page, files.file('film.mp4', mp4(FILM_SIZE)))
    const server = createServerClient({ baseUrl: service.url, key: service.key })
    const { items } = await server.files.list({ externalId: 'ada' })
    expect(items).toMatchObject([{ filename: 'film.mp4', size: FILM_SIZE, state: 'READY' }])
    await sendAndSee(service, context)
  })
})
