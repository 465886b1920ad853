import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { ROOT } from '../../../src/cli/build-if-needed.ts'

/** A path of every route and page below src/app, so that new ones are tested too. */
export const APP_ROUTES: { path: string; isPage: boolean }[] = (
  readdirSync(join(ROOT, 'src/app'), { recursive: true }) as string[]
)
  .filter((file) => /(^|[/\\])(route\.ts|page\.tsx)$/.test(file))
  .map((file) => ({
    isPage: file.endsWith('page.tsx'),
    path: `/${dirname(file)
      .split(sep)
      .filter((segment) => segment !== '.' && !/^\(.*\)$/.test(segment))
      .map((segment) => segment.replace('[...nextauth]', 'csrf').replace(/^\[.*\]$/, 'none'))
      .join('/')}`,
  }))

/** Load balancers call these paths, even while the service is busy. */
export const HEALTH_PATHS = ['/api/health/live', '/api/health/ready']
