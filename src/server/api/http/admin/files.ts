import { z } from 'zod'
import * as schema from '../../../domain/uploads/backend-files.ts'
import { verdictInput } from '../../../domain/uploads/verdicts.ts'
import { adminOperation } from './admin-operation.ts'

const params = { id: z.string().meta({ description: 'ID of the file.' }) }

export const listBackendFiles = adminOperation({
  route: 'GET /api/admin/files',
  scope: 'files:read',
  summary: 'Lists the files of all users or of one, newest first.',
  query: schema.listBackendFilesInput,
  responses: { 200: { description: 'A page', schema: schema.listBackendFilesOutput } },
  handle: (call) => call.services.backendFiles.list(call.query()),
})

export const getBackendFile = adminOperation({
  route: 'GET /api/admin/files/{id}',
  scope: 'files:read',
  summary: 'Returns a file.',
  params,
  responses: { 200: { description: 'The file', schema: schema.backendFileOutput } },
  handle: (call) => call.services.backendFiles.find(call.params.id),
})

export const deleteBackendFile = adminOperation({
  route: 'DELETE /api/admin/files/{id}',
  scope: 'files:delete',
  summary: 'Deletes a file, or ends its unfinished upload. Idempotent.',
  params,
  responses: { 204: { description: 'Deleted' } },
  handle: (call) => call.services.backendFiles.delete(call.params.id),
})

export const createBackendFileUrl = adminOperation({
  route: 'POST /api/admin/files/{id}/url',
  scope: 'files:read',
  summary: 'Presigns a GET of a ready or held file.',
  params,
  body: schema.backendFileUrlInput,
  responses: { 200: { description: 'The URL', schema: schema.backendFileUrlOutput } },
  errors: [409],
  handle: async (call) => call.services.backendFiles.url(call.params.id, await call.body()),
})

export const decideBackendFile = adminOperation({
  route: 'POST /api/admin/files/{id}/verdict',
  scope: 'files:verdict',
  summary: 'Accepts or rejects a held file. Repeating a verdict changes nothing.',
  params,
  body: verdictInput,
  responses: { 200: { description: 'The file', schema: schema.backendFileOutput } },
  errors: [409],
  frequent: true,
  handle: async (call) => call.services.backendFiles.verdict(call.params.id, await call.body(), call.caller),
})
