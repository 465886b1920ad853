import type { TopicRepo } from '../../../../domain/push/topics/topics.ts'
import { newId } from '../../../../kernel/ids.ts'
import type { Db } from '../../db.ts'

export function createTopicRepo(db: Db): TopicRepo {
  return {
    async subscribe({ id, epoch = null }, topic, maxPerUser, by) {
      // FOR SHARE: if another user claims the account meanwhile, either it is already changed, or it loses this subscription.
      const [user] = await db.sql.rows<'subscribe'>`
        WITH u AS (
          SELECT id, (SELECT count(*) FROM topic_subscriptions s
                      WHERE s.user_id = users.id AND s.topic <> ${topic})::int AS subscriptions
          FROM users WHERE id = ${id}::uuid AND deleted_at IS NULL
            AND (${epoch}::int IS NULL OR session_epoch = ${epoch}::int)
          FOR SHARE),
        added AS (
          INSERT INTO topic_subscriptions (topic, user_id)
          SELECT ${topic}, u.id FROM u WHERE u.subscriptions < ${maxPerUser}::int
          ON CONFLICT (topic, user_id) DO NOTHING RETURNING user_id),
        audited AS (
          INSERT INTO audit_entries (id, action, actor, user_id, address, details)
          SELECT ${newId()}::uuid, 'topic.subscribed', ${by?.actor ?? null}, added.user_id, ${by?.address ?? null},
            jsonb_build_object('topic', ${topic}::text)
          FROM added WHERE ${by !== undefined})
        SELECT subscriptions FROM u`
      if (!user) return 'noUser'
      return user.subscriptions < maxPerUser ? 'subscribed' : 'tooMany'
    },

    async unsubscribe(userId, topic, by) {
      const [user] = await db.sql.rows<'unsubscribe'>`
        WITH removed AS (
          DELETE FROM topic_subscriptions WHERE topic = ${topic} AND user_id = ${userId}::uuid RETURNING user_id),
        audited AS (
          INSERT INTO audit_entries (id, action, actor, user_id, address, details)
          SELECT ${newId()}::uuid, 'topic.unsubscribed', ${by?.actor ?? null}, removed.user_id, ${by?.address ?? null},
            jsonb_build_object('topic', ${topic}::text)
          FROM removed WHERE ${by !== undefined})
        SELECT id FROM users WHERE id = ${userId}::uuid AND deleted_at IS NULL`
      return user !== undefined
    },

    isSubscribed: async (userId, topic) =>
      (await db.sql.row<'isSubscribed'>`
        SELECT topic FROM topic_subscriptions WHERE topic = ${topic} AND user_id = ${userId}::uuid`) !== null,

    list: (userId) => db.sql.rows<'listTopics'>`
      SELECT topic, created_at AS "subscribedAt" FROM topic_subscriptions WHERE user_id = ${userId}::uuid ORDER BY topic`,
  }
}
