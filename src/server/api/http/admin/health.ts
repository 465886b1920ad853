import { z } from 'zod'
import { findingsOutput } from '../../../kernel/finding.ts'
import { adminOperation } from './admin-operation.ts'
import { healthOutput } from './health-output.ts'

const query = z.strictObject({})
const findings = { description: 'The findings', schema: findingsOutput }

export const getHealth = adminOperation({
  route: 'GET /api/admin/health',
  summary: 'Returns the state of the replica that responds, and of the queues in the database.',
  responses: { 200: { description: 'The state', schema: healthOutput } },
  handle: (call) => call.services.deploymentState(),
})

export const runReadOnlyChecks = adminOperation({
  route: 'GET /api/admin/doctor',
  summary: 'Runs the checks of `npm run doctor` that neither write anything nor send a push.',
  query,
  responses: { 200: findings },
  handle: async (call) => {
    call.query()
    return call.services.doctor.quick()
  },
})

export const runAllChecks = adminOperation({
  route: 'POST /api/admin/doctor',
  summary: 'Runs `npm run doctor`, with throwaway objects and pushes to devices that cannot exist.',
  query,
  responses: { 200: findings },
  handle: async (call) => {
    call.query()
    return call.services.doctor.full()
  },
})
