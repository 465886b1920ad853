import type { Trace } from '../trace.ts'
import type { Post } from '../webhooks/ports.ts'

/** A trace for each attempt to deliver a webhook. `pigeonhole.event_id`: as in the list of deliveries. */
export function tracePost(post: Post, trace: Trace): Post {
  return (request, signal) => {
    const attributes = {
      'http.request.method': 'POST',
      'pigeonhole.event_id': request.headers['webhook-id'] ?? '',
    }
    return trace.background('webhook delivery', attributes, async () => {
      const answer = await post(request, signal)
      // Why there is none may name a host: the list of deliveries has it.
      trace.note(
        'status' in answer ? { 'http.response.status_code': answer.status } : { 'error.type': 'no answer' },
      )
      return answer
    })
  }
}
