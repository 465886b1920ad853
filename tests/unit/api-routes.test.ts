import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadApiRoutes } from '../../src/cli/serve/api-routes.ts'

const COMPLETE = 'export const GET = 0, POST = 0, PUT = 0, PATCH = 0, DELETE = 0, OPTIONS = 0'.replaceAll(
  '0',
  '() => {}',
)

async function appWith(files: Record<string, string>): Promise<string> {
  const app = await mkdtemp(join(tmpdir(), 'pigeonhole-app-'))
  onTestFinished(() => rm(app, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(app, file)), { recursive: true })
    await writeFile(join(app, file), text)
  }
  return app
}

test('patterns come from the paths, and the most specific one matches, as in Next', async () => {
  const folders = [
    'a/[[...path]]',
    'a/[...all]/x.y',
    'a/b',
    'a/[id]',
    'a/[id]/c',
    '(group)/d',
    'files.v1/[id]',
    '.well-known/x',
  ]
  const find = await loadApiRoutes(
    await appWith({
      ...Object.fromEntries(folders.map((folder) => [`${folder}/route.ts`, COMPLETE])),
      'a/page.tsx': '',
      'not-a-route.ts': '',
    }),
  )
  const found = (path: string) => {
    const match = find(path)
    return match && [match.pattern, match.params]
  }
  expect(found('/a')).toEqual(['/a/[[...path]]', {}])
  expect(found('/a/b')).toEqual(['/a/b', {}])
  expect(found('/a/1')).toEqual(['/a/[id]', { id: '1' }])
  expect(found('/a/1/c')).toEqual(['/a/[id]/c', { id: '1' }])
  expect(found('/a/%2F%20/c')).toEqual(['/a/[id]/c', { id: '/ ' }])
  expect(found('/a/1/2')).toEqual(['/a/[[...path]]', { path: ['1', '2'] }])
  expect(found('/d')).toEqual(['/d', {}])
  expect(found('/.well-known/x')).toEqual(['/.well-known/x', {}])
  expect(found('/files.v1/1')).toEqual(['/files.v1/[id]', { id: '1' }])
  for (const none of ['/files-v1/1', '/files.v1', '/files.v1/1/2', '/A/b', '/a/b/', '/', '/(group)/d'])
    expect(found(none), none).toBeUndefined()
})

test('a route.ts that does not handle every method is reported', async () => {
  const app = await appWith({ 'api/x/route.ts': COMPLETE.replace('PATCH', 'OTHER') })
  await expect(loadApiRoutes(app)).rejects.toThrow('api/x/route.ts must also export PATCH')
})
