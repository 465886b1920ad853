// The workflows are valid according to GitHub's own parser, and follow the rules that keep them safe.

import { globSync, readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ViteUserConfig } from 'vitest/config'
import { parse } from 'yaml'
import config from '../../vitest.config.ts'

// The parser imports JSON without an attribute, which Node rejects.
const hooks = registerHooks({
  load(url, context, next) {
    if (!/\/@actions\/.*\.json$/.test(url)) return next(url, context)
    return {
      format: 'module',
      source: `export default ${readFileSync(new URL(url), 'utf8')}`,
      shortCircuit: true,
    }
  },
})
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
)
hooks.deregister()

const FOLDER = join(import.meta.dirname, '../../.github/workflows')

type Step = { uses?: string; run?: string; with?: Record<string, unknown> }
type Job = { permissions?: Record<string, string>; steps: Step[]; 'timeout-minutes'?: number }
type Workflow = { on: unknown; permissions?: Record<string, string>; jobs: Record<string, Job> }

const workflowIn = (name: string) => parse(readFileSync(join(FOLDER, name), 'utf8')) as Workflow

async function errorsIn(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map(({ message }) => message)
}

describe.each(readdirSync(FOLDER))('%s', (name) => {
  const workflow = workflowIn(name)
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)

  test('is valid according to GitHub’s parser', async () => {
    const content = readFileSync(join(FOLDER, name), 'utf8')
    expect(await errorsIn(name, content)).toEqual([])
    expect(await errorsIn(name, content.replace('runs-on:', 'run-on:'))).not.toEqual([])
    expect(await errorsIn(name, content.replace('${{ github.', '${{ githab.'))).not.toEqual([])
  })

  test('names a major version or commit of each action', () => {
    for (const { uses } of steps) if (uses) expect(uses).toMatch(/^[\w-]+\/[\w./-]+@(v\d+|[0-9a-f]{40})$/)
  })

  test('grants no permission to write except to jobs that publish, and ends jobs that hang', () => {
    const byDefault = Object.values(workflow.permissions ?? { all: 'write' })
    expect(byDefault.filter((level) => level !== 'read')).toEqual([])
    for (const [job, { permissions = {}, ...rest }] of Object.entries(workflow.jobs)) {
      const writes = Object.entries(permissions).flatMap(([scope, level]) =>
        level === 'write' ? [scope] : [],
      )
      expect([name, job, writes.sort()]).toEqual([name, job, WRITES[`${name} ${job}`] ?? []])
      expect(rest['timeout-minutes']).toBeLessThanOrEqual(60)
    }
  })

  test('puts no value that others choose into a shell command', () => {
    for (const { run } of steps) expect(run ?? '').not.toContain('${{')
  })
})

test.each(['ci.yml', 'publish.yml'])(
  '%s runs every test but that of the latest releases of others',
  (name) => {
    const commands = Object.values(workflowIn(name).jobs).flatMap(({ steps }) => steps.map(({ run }) => run))
    const tests = [
      'bash .ci/run',
      'npm run test:packed',
      'bash .ci/install-pgbouncer',
      'npm run test:pgbouncer',
    ]
    expect(commands.filter((command) => tests.includes(command ?? ''))).toEqual(tests)
  },
)

const WRITES: Record<string, string[]> = {
  'publish.yml packages': ['id-token'],
  'publish.yml image': ['attestations', 'id-token', 'packages'],
  'publish.yml release': ['contents'],
}

test('the image is published with an SBOM and provenance, and nothing before all tests pass', () => {
  const { jobs } = workflowIn('publish.yml')
  const build = jobs.image!.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))
  expect(build?.with).toMatchObject({ push: true, sbom: true, provenance: 'mode=max' })
  expect(jobs.check!.steps.some(({ run }) => run === 'bash .ci/run')).toBe(true)
  for (const name of ['packages', 'image']) expect(jobs[name]).toMatchObject({ needs: 'check' })
  expect(jobs.release).toMatchObject({ needs: ['packages', 'image'] })
})

test('the test with the latest releases of others runs every night and on demand, but not before a change lands', () => {
  const { on, jobs } = workflowIn('nightly.yml')
  expect(on).toEqual({ schedule: [{ cron: expect.any(String) }], workflow_dispatch: null })
  expect(jobs['new-app']!.steps.map(({ run }) => run)).toContain('npm run test:new-app')
  const root = join(FOLDER, '../..')
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).not.toContain('test:new-app')
  const { projects } = config.test!
  const patterns = projects!.flatMap((project) => (project as ViteUserConfig).test!.include!)
  const inNewApp = globSync('tests/new-app/*.test.ts', { cwd: root })
  expect(inNewApp).not.toEqual([])
  const included = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }))
  expect(included.filter((path) => inNewApp.includes(path))).toEqual([])
})
