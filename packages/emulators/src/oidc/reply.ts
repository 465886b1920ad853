/** An HTTP response. */
export type Reply = { status: number; headers?: Record<string, string>; body?: string }

export const reply = (status: number): Reply => ({ status })

export function json(status: number, value: object): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

export function html(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

export function redirect(location: string): Reply {
  return { status: 303, headers: { location } }
}
