import type { QueueDepth } from '../telemetry/gauges.ts'
import type { Db } from './postgres/db.ts'

/** How much of broadcasts is still to do; a chunk is a row of some 500 devices, so there are thousands at most. */
export async function pushQueueDepth(db: Db): Promise<QueueDepth> {
  const [row] = await db.sql.rows<QueueDepth>`
    SELECT count(*) FILTER (WHERE due_at <= now())::int AS due,
           count(*) FILTER (WHERE due_at > now() AND lease_id IS NOT NULL)::int AS leased,
           count(*) FILTER (WHERE due_at > now() AND lease_id IS NULL)::int AS waiting
    FROM push_message_chunks`
  return row!
}
