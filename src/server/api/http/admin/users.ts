import { z } from 'zod'
import * as schema from '../../../domain/accounts/user-administration.ts'
import { userDevicesOutput } from '../../../domain/push/devices/schema.ts'
import { adminOperation } from './admin-operation.ts'

const params = { id: z.string().meta({ description: 'ID of the user.' }) }
const user = { description: 'The user', schema: schema.managedUserOutput }
const target = ({ id }: { id: string }) => ({ userId: id })

export const listUsers = adminOperation({
  route: 'GET /api/admin/users',
  scope: 'users:read',
  summary: 'Lists users, by default newest first.',
  query: schema.listUsersInput,
  responses: { 200: { description: 'A page', schema: schema.listUsersOutput } },
  typed: true,
  handle: (call) => call.services.userAdministration.list(call.query()),
})

export const createUser = adminOperation({
  route: 'POST /api/admin/users',
  scope: 'users:write',
  summary: 'Creates a user.',
  body: schema.createUserInput,
  responses: { 201: user },
  errors: [409],
  handle: async (call) =>
    call.services.userAdministration.create(await call.body(), call.caller, call.language()),
})

export const getUser = adminOperation({
  route: 'GET /api/admin/users/{id}',
  scope: 'users:read',
  summary: 'Returns a user.',
  params,
  responses: { 200: user },
  target,
  handle: (call) => call.services.userAdministration.find(call.params.id),
})

export const listUserDevices = adminOperation({
  route: 'GET /api/admin/users/{id}/devices',
  scope: 'users:read',
  summary: "Lists a user's devices, most recently seen first, without their tokens.",
  params,
  responses: { 200: { description: 'The devices', schema: userDevicesOutput } },
  target,
  handle: async ({ services, params: { id } }) => {
    await services.userAdministration.find(id)
    return services.push.devices.list(id)
  },
})

export const updateUser = adminOperation({
  route: 'PATCH /api/admin/users/{id}',
  scope: 'users:write',
  summary: 'Changes a user. `disabled` and a new password end all sessions.',
  params,
  body: schema.updateUserInput,
  responses: { 200: user },
  errors: [409],
  target,
  handle: async (call) =>
    call.services.userAdministration.update(call.params.id, await call.body(), call.caller),
})

export const sendPasswordReset = adminOperation({
  route: 'POST /api/admin/users/{id}/password-reset',
  scope: 'users:write',
  summary: 'Emails the user a link that sets a new password.',
  params,
  responses: { 204: { description: 'The email is being sent' } },
  errors: [409],
  target,
  handle: ({ services, params: { id }, caller, language }) =>
    services.userAdministration.sendPasswordReset(id, caller, language()),
})

export const signOutUser = adminOperation({
  route: 'POST /api/admin/users/{id}/sign-out',
  scope: 'users:write',
  summary: 'Ends all sessions of a user. API keys and push tokens keep working.',
  params,
  responses: { 204: { description: 'All sessions have ended' } },
  target,
  handle: ({ services, params: { id }, caller }) => services.userAdministration.signOut(id, caller),
})

export const deleteUser = adminOperation({
  route: 'DELETE /api/admin/users/{id}',
  scope: 'users:write',
  summary: 'Deletes a user with all their data.',
  params,
  responses: {
    202: {
      description: 'The account is closed. Its files are being removed',
      schema: schema.deletedUserOutput,
    },
  },
  errors: [409],
  target,
  handle: async ({ services, params: { id }, caller }) => {
    await services.userAdministration.delete(id, caller)
    return { id }
  },
})
