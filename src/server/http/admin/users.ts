import { createUserInput, listUsersInput, updateUserInput } from '../../auth/user-administration-schema.ts'
import type { Services } from '../../container.ts'
import { parseInput } from '../../validation.ts'
import { readJson } from '../body.ts'
import { type AdminCall, adminEndpoint, queryOf } from './admin-endpoint.ts'

const EXAMPLE = { email: 'ada@example.com', name: 'Ada' }

const administering = ({ admin, address }: AdminCall) => ({ ...admin, address })

/** GET /api/admin/users */
export function handleListUsers(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => ({
    status: 200,
    body: await call.services.userAdministration.list(parseInput(listUsersInput, queryOf(request))),
  }))
}

/** POST /api/admin/users */
export function handleCreateUser(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    const input = parseInput(createUserInput, await readJson(request, EXAMPLE))
    const { userAdministration } = call.services
    const user = await userAdministration.create(input, administering(call), call.language())
    return { status: 201, body: user }
  })
}

/** GET /api/admin/users/{id} */
export function handleUser(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return adminEndpoint(request, services, { userId: id }, async (call) => ({
    status: 200,
    body: await call.services.userAdministration.find(id),
  }))
}

/** PATCH /api/admin/users/{id} */
export function handleUpdateUser(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { userId: id }, async (call) => {
    const input = parseInput(updateUserInput, await readJson(request, { disabled: true }))
    const user = await call.services.userAdministration.update(id, input, administering(call))
    return { status: 200, body: user }
  })
}

/** DELETE /api/admin/users/{id} */
export function handleDeleteUser(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { userId: id }, async (call) => {
    await call.services.userAdministration.delete(id, administering(call))
    return { status: 202, body: { id } }
  })
}
